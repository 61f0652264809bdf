internal import CBOR
internal import KeyAttestation
internal import SwiftASN1
internal import WebAuthnFormats

/// What a verified statement rests on.
enum AttestationEvidence: Sendable {
  case none
  /// The new key's own signature.
  case selfSigned
  /// A certified key's signature.
  case certified(Certified)

  struct Certified: Sendable {
    let chain: UnverifiedChain
    let der: [[UInt8]]

    /// Critical extensions of the leaf that the format dealt with.
    var handledExtensions: [ASN1ObjectIdentifier] = []

    /// Why the statement proves no model, whoever issued the certificate; `nil` when it does.
    var fault: String?
  }

  var certificates: [[UInt8]] { if case .certified(let certified) = self { certified.der } else { [] } }

  func type(isTrusted: Bool) -> AttestationType {
    switch self {
    case .none: .none
    case .selfSigned: .selfSigned
    case .certified: isTrusted ? .ca : .basic
    }
  }
}

/// An attestation statement and what it is about (WebAuthn L3 §8). The formats are in extensions.
struct AttestationStatement {
  let format: String
  let members: CBORMap
  let data: AuthenticatorData
  let credential: AttestedCredential
  let clientDataHash: [UInt8]

  /// The bytes that most formats sign.
  var signedBytes: [UInt8] { data.encoded + clientDataHash }

  /// Checks that the statement is sound by the rules of its format, but not who issued it.
  func verified(by policy: AttestationPolicy) throws(WebAuthnFailure) -> AttestationEvidence {
    switch format {
    case "none": return try verifiedNone()
    case "packed": return try verifiedPacked()
    case "tpm": return try verifiedTPM(acceptsSHA1: policy.acceptsTPMSHA1)
    case "android-key": return try verifiedAndroidKey(minimum: policy.minimumAndroidLevel)
    case "fido-u2f": return try verifiedU2F(requiresZeroAAGUID: policy.requiresZeroU2FAAGUID)
    case "apple": return try verifiedApple()
    case "android-safetynet":
      throw WebAuthnFailure(
        .unsupportedAttestationFormat,
        "android-safetynet rests on a service that Google has switched off; ask for another attestation or none"
      )
    default:
      throw WebAuthnFailure(
        .unsupportedAttestationFormat, "the attestation format \(format.shortened) is not supported")
    }
  }

  /// A failure of this statement.
  func invalid(_ detail: String) -> WebAuthnFailure {
    WebAuthnFailure(.attestationInvalid, "\(format): \(detail)")
  }

  /// Throws unless the statement has exactly these members. The member `ignored` may be there, too.
  func requireMembers(_ names: String..., ignoring ignored: String? = nil) throws(WebAuthnFailure) {
    let count = members.count - (ignored.flatMap { members[.text($0)] } == nil ? 0 : 1)
    guard count == names.count, names.allSatisfy({ members[.text($0)] != nil }) else {
      throw invalid("the statement has other members than \(names.joined(separator: ", "))")
    }
  }

  func bytes(_ name: String) throws(WebAuthnFailure) -> [UInt8] {
    guard let bytes = members[.text(name)]?.bytesValue else {
      throw invalid("the member \(name) is missing or not a byte string")
    }
    return bytes
  }

  /// RSASSA-PKCS1-v1_5 with SHA-1 (RFC 8812 §2). Not a ``COSEAlgorithm``, so that no credential and no other statement can have it.
  static let rs1 = -65535

  /// The number of `alg`.
  func algorithmNumber() throws(WebAuthnFailure) -> Int {
    guard let number = members["alg"]?.intValue else {
      throw invalid("the member alg is missing or not a number")
    }
    return number
  }

  /// `alg`.
  func algorithm() throws(WebAuthnFailure) -> COSEAlgorithm {
    let number = try algorithmNumber()
    guard number != Self.rs1 else { throw invalid("RS1 (-65535) uses SHA-1, which is not accepted here") }
    guard let algorithm = COSEAlgorithm(rawValue: number) else {
      throw invalid("the algorithm \(number) is not supported")
    }
    return algorithm
  }

  /// `x5c`.
  func certificates() throws(WebAuthnFailure) -> AttestationEvidence.Certified {
    guard let items = members["x5c"]?.arrayValue else {
      throw invalid("the member x5c is missing or not an array")
    }
    let der = items.compactMap(\.bytesValue)
    guard der.count == items.count else { throw invalid("an entry of x5c is not a byte string") }
    do throws(AttestationFailure) {
      return AttestationEvidence.Certified(chain: try UnverifiedChain(der: der), der: der)
    } catch {
      throw invalid(error.detail)
    }
  }
}
