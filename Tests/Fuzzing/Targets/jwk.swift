import JOSE
import StrictJSON

extension FuzzTarget {
  /// A key that was read is the same after writing and reading it again, has its thumbprint, and can verify.
  static let jwk = FuzzTarget(
    seeds: { [FixedKeys.jwk.json.serialized] },
    check: { bytes in
      guard let object = try? JSONObject(parsing: bytes), let key = try? JWK(json: object) else { return }
      let again = try? JWK(json: key.json)
      expect(again?.material == key.material && again?.keyID == key.keyID, "a key changes")
      expect(again?.algorithm == key.algorithm && again?.thumbprint == key.thumbprint, "a key's use changes")
      expect((try? VerificationKey(key)) != nil, "a key that was read cannot verify")
      expect(key.certificateChain.count <= 10, "a chain is too long")
      for name in ["d", "p", "q", "dp", "dq", "qi", "oth", "k"] {
        expect(object[name] == nil, "a private key is read as a public one")
      }
    })
}
