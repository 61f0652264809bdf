internal import JOSE
internal import StrictJSON

/// A verified second signature over a checkpoint, by somebody who has seen that it continues the one before.
public struct WitnessSignature: Sendable, Hashable {
  /// The witness's key (RFC 7638). Anybody can make a key: compare it with the one that you were given.
  public let thumbprint: String

  /// When it was made, by the witness's clock. Milliseconds since 1970.
  public let time: Int64

  /// The compact JWS (ES256).
  public let jws: String

  private static let type = "sealring-evidence-witness"

  /// Countersigns.
  ///
  /// - Parameter key: the public key of `signer`.
  init(of checkpoint: EvidenceCheckpoint, at time: Int64, key: JWK, signer: some JWSSigner) async throws {
    var claims = Self.claims(of: checkpoint)
    claims["time"] = .integer(time)
    jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: Self.type, jwk: key), claims: claims, signer: signer)
    thumbprint = key.thumbprint
    self.time = time
  }

  /// Verifies that `jws` is a countersignature of `checkpoint`.
  ///
  /// - Throws: ``EvidenceFault`` of kind ``EvidenceFault/Kind/checkpoint``.
  init(jws: String, of checkpoint: EvidenceCheckpoint) throws(EvidenceFault) {
    guard let token = try? UnverifiedJWS(compact: jws), token.header.type == Self.type,
      let jwk = token.header.jwk.flatMap({ try? JWK(json: $0) }), case .p256 = jwk.material,
      let key = try? VerificationKey(jwk),
      let claims = try? token.verified(with: key, allowing: [.es256]).claims()
    else { throw EvidenceFault(.checkpoint, "its witness's signature does not verify") }
    for (name, value) in Self.claims(of: checkpoint) where claims[name] != value {
      throw EvidenceFault(.checkpoint, "its witness has signed another checkpoint")
    }
    guard let time = claims["time"]?.integerValue else {
      throw EvidenceFault(.checkpoint, "its witness's signature does not say when it was made")
    }
    thumbprint = jwk.thumbprint
    self.time = time
    self.jws = jws
  }

  private static func claims(of checkpoint: EvidenceCheckpoint) -> JSONObject {
    [
      "ledger": .string(checkpoint.ledger.text), "count": .integer(checkpoint.count),
      "head": .string(checkpoint.head.text), "root": .string(checkpoint.root?.text ?? ""),
    ]
  }
}
