import CBOR
import Foundation
import KeyAttestation
import StrictJSON
import SwiftASN1
import WebAuthnFormats
import WebAuthnVerification
import X509

/// The test vectors of WebAuthn Level 3, and ours of what those do not have: Windows Hello, Ed448, ML-DSA-65.
struct Vectors: Sendable {
  struct Vector: Sendable {
    let challenges: (create: [UInt8], get: [UInt8])
    let clientData: (create: [UInt8], get: [UInt8])
    let credentialID: [UInt8]
    let attestationObject: [UInt8]
    let authenticatorData: [UInt8]
    let signature: [UInt8]
    let attested: AttestedCredential?
  }

  static let shared = Vectors()

  let all: [Vector]
  let relyingParty: RelyingParty
  let roots: TrustAnchors?

  /// The certificates of each vector that has some, leaf first.
  let chains: [[[UInt8]]]
  let leafKeys: Set<Certificate.PublicKey>

  private init() {
    let files = ["webauthn-vectors.json", "webauthn-more-vectors.json"].map(Self.file)
    let json = files[0]
    func text(_ name: String) -> String { json[name]?.stringValue ?? "" }
    let vectors = files.flatMap { $0["vectors"]?.arrayValue ?? [] }.map(Vector.init)
    all = vectors
    relyingParty = RelyingParty(
      id: text("rpId"),
      origins: OriginPolicy([text("origin")], allowsCrossOrigin: true, topOrigins: [text("topOrigin")]))
    roots = try? TrustAnchors(files.map { Vector.bytes($0["attestationRoot"]?.stringValue ?? "") })
    chains = vectors.compactMap { vector in
      let object = try? AttestationObject(parsing: vector.attestationObject)
      let chain = object?.statement["x5c"]?.arrayValue?.compactMap(\.bytesValue)
      return chain.flatMap { $0.isEmpty ? nil : $0 }
    }
    leafKeys = Set(
      chains.compactMap { chain in
        chain.first.flatMap { try? Certificate(derEncoded: $0) }?.publicKey
      })
    guard vectors.count > 12, roots != nil, !leafKeys.isEmpty else { fatalError("there are no test vectors") }
  }

  private static func file(_ name: String) -> JSONValue {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Interoperability/\(name)").standardized
    return
      (try? JSONValue(
        parsing: Data(contentsOf: file), limits: JSONLimits(maximumBytes: 1 << 20, maximumDepth: 16)))
      ?? .null
  }
}

extension Vectors.Vector {
  init(_ json: JSONValue) {
    func bytes(_ part: String, _ name: String) -> [UInt8] { Self.bytes(json[part]?[name]?.stringValue ?? "") }
    challenges = (bytes("registration", "challenge"), bytes("authentication", "challenge"))
    clientData = (bytes("registration", "clientDataJSON"), bytes("authentication", "clientDataJSON"))
    credentialID = bytes("registration", "credential_id")
    attestationObject = bytes("registration", "attestationObject")
    authenticatorData = bytes("authentication", "authenticatorData")
    signature = bytes("authentication", "signature")
    let object = try? AttestationObject(parsing: attestationObject)
    attested = object.flatMap { try? AuthenticatorData(parsing: $0.authenticatorData) }?.attestedCredential
  }

  static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = hexadecimal.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}
