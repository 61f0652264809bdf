import Foundation
import JOSE
import KeyAttestation
import StrictJSON
import WebAuthnFormats
import WebAuthnVerification

/// Test vectors in a file: those of WebAuthn Level 3, as far as they are transcribed, and ours.
struct Vectors {
  struct Vector: Sendable, CustomStringConvertible {
    let name: String
    private let registration: JSONObject
    private let authentication: JSONObject

    init(_ json: JSONValue) {
      name = json["name"]?.stringValue ?? ""
      registration = json["registration"]?.objectValue ?? [:]
      authentication = json["authentication"]?.objectValue ?? [:]
    }

    var description: String { name }

    func registration(_ member: String) -> [UInt8] { bytes(registration[member]?.stringValue ?? "") }
    func authentication(_ member: String) -> [UInt8] { bytes(authentication[member]?.stringValue ?? "") }

    var registrationResponse: RegistrationResponse {
      RegistrationResponse(
        clientDataJSON: registration("clientDataJSON"), attestationObject: registration("attestationObject"),
        credentialID: registration("credential_id"))
    }

    var assertionResponse: AssertionResponse {
      AssertionResponse(
        clientDataJSON: authentication("clientDataJSON"),
        authenticatorData: authentication("authenticatorData"), signature: authentication("signature"),
        credentialID: registration("credential_id"))
    }
  }

  static let shared = Vectors("webauthn-vectors.json")

  /// What real authenticators do and the specification's vectors do not, made by `make_webauthn_vectors.py`.
  static let more = Vectors("webauthn-more-vectors.json")

  let all: [Vector]
  let root: [UInt8]
  let relyingParty: RelyingParty

  private init(_ name: String) {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Interoperability/\(name)").standardized
    let json = (try? JSONValue(parsing: Array(Data(contentsOf: file)))) ?? .null
    all = json["vectors"]?.arrayValue?.map(Vector.init) ?? []
    root = bytes(json["attestationRoot"]?.stringValue ?? "")
    relyingParty = RelyingParty(
      id: json["rpId"]?.stringValue ?? "",
      origins: OriginPolicy(
        [json["origin"]?.stringValue ?? ""], allowsCrossOrigin: true,
        topOrigins: [json["topOrigin"]?.stringValue ?? ""]))
  }

  func named(_ name: String) throws -> Vector {
    guard let vector = all.first(where: { $0.name == name }) else { throw Missing(name: name) }
    return vector
  }

  struct Missing: Error {
    let name: String
  }

  /// All that the vectors use is allowed, and their authority is trusted.
  func registrationPolicy() throws -> RegistrationVerifier.Policy {
    var policy = RegistrationVerifier.Policy(
      relyingParty: relyingParty, algorithms: Set(COSEAlgorithm.allCases))
    policy.attestation.conveyance = .direct
    policy.attestation.roots = try TrustAnchors([root])
    policy.attestation.requiresZeroU2FAAGUID = false
    policy.attestation.acceptsTPMSHA1 = true
    return policy
  }
}

/// The time at which tests verify.
let testTime = Date(timeIntervalSince1970: 1_800_000_000)

/// The bytes of hexadecimal text.
func bytes(_ hexadecimal: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var half: UInt8?
  for digit in hexadecimal {
    guard let value = digit.hexDigitValue.map(UInt8.init) else { continue }
    if let high = half {
      bytes.append(high << 4 | value)
      half = nil
    } else {
      half = value
    }
  }
  return bytes
}
