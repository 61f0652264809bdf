import BindingFormats
import Foundation
import JOSE
import StrictJSON

extension FuzzTarget {
  /// Only what the fixed key signed is a proof, when it binds a device and when it signs in.
  static let deviceProof = FuzzTarget(
    seeds: { proofs.map { Array($0.utf8) } },
    text: { text in
      guard let jws = try? DeviceProof.parse(text) else { return }
      _ = try? DeviceProof.keyID(of: jws)
      _ = try? DeviceProof.claimedSubject(of: jws)
      if let (key, proof) = try? DeviceProof.verifyBinding(jws, expecting: expected) {
        expect(key.jwk.material == FixedKeys.jwk.material, "a key was proven that nobody has")
        expect(proofHashes.contains(proof.claims.serialized), "a proof was accepted that nobody signed")
      }
      if let proof = try? DeviceProof.verifySigning(jws, storedKey: FixedKeys.jwk.json, expecting: expected) {
        expect(proofHashes.contains(proof.claims.serialized), "a proof was accepted that nobody signed")
      }
    })

  private static let expected = DeviceProof.Expectations(
    subject: "ada", challenge: Challenge(wire: "Approve?") ?? .random([]),
    applicationIDs: ["com.example.app"],
    skew: 60, now: Date(timeIntervalSince1970: 1_800_000_000))

  private static let proofClaims: JSONObject = [
    "sub": "ada", "challenge": "Approve?", "iss": "com.example.app", "exp": 1_800_000_060,
    "iat": 1_800_000_000,
  ]
  private static let proofHashes = [proofClaims.serialized]
  private static let proofs = [
    FixedKeys.token(["alg": "ES256", "typ": "JWS", "kid": "fixed"], proofClaims),
    FixedKeys.token(
      ["alg": "ES256", "typ": "JWS", "kid": "fixed", "jwk": .object(FixedKeys.jwk.json)], proofClaims),
  ]
}
