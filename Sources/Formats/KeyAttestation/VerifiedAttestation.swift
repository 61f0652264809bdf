internal import Bytes
internal import Crypto
public import StrictJSON
internal import SwiftASN1
internal import X509

/// The facts about a key after its attestation was verified. Only ``AttestationVerifier`` makes one.
public struct VerifiedAttestation: Sendable, Hashable {
  /// What attested the key, and what it said.
  public enum Evidence: Sendable, Hashable {
    case android(AndroidKeyProperties)
    case tpm(TPMKeyProperties)
  }

  /// The configured certificate that the chain led to.
  public struct Root: Sendable, Hashable {
    /// Its subject (RFC 4514).
    public let subject: String

    /// SHA-256 of its DER, lower-case hexadecimal.
    public let fingerprint: String

    init(_ certificate: Certificate) throws {
      subject = "\(certificate.subject)"
      var serializer = DER.Serializer()
      try serializer.serialize(certificate)
      fingerprint = SHA256.hash(data: serializer.serializedBytes).hexadecimal
    }
  }

  public let evidence: Evidence
  public let root: Root

  init(_ evidence: Evidence, root: Root) {
    self.evidence = evidence
    self.root = root
  }

  /// `android` or `tpm`.
  public var kind: String {
    switch evidence {
    case .android: "android"
    case .tpm: "tpm"
    }
  }

  /// Where the key lives: `software`, `trustedEnvironment`, `strongBox` or `tpm`.
  public var securityLevel: String {
    switch evidence {
    case .android(let key): key.securityLevel.name
    case .tpm: "tpm"
    }
  }

  /// The form for records and REST answers: `kind`, `securityLevel`, `root` (`subject`, `sha256`), and the properties under the name of
  /// the kind.
  public var json: JSONObject {
    let properties: JSONObject =
      switch evidence {
      case .android(let key): key.json
      case .tpm(let key): key.json
      }
    return [
      "kind": .string(kind), "securityLevel": .string(securityLevel),
      "root": ["subject": .string(root.subject), "sha256": .string(root.fingerprint)],
      kind: .object(properties),
    ]
  }
}

/// The facts of an Android key attestation that differ between accepted keys.
public struct AndroidKeyProperties: Sendable, Hashable {
  /// The weaker of the security levels of the key and of its attestation.
  public let securityLevel: AndroidSecurityLevel

  /// The version of the attestation's form: 1 to 4 for Keymaster, 100 and more for KeyMint.
  public let attestationVersion: Int

  /// Whether the device is locked and booted a system that its maker signed.
  public let isBootVerified: Bool

  /// Whether the key can only be used after its key store has recognised somebody.
  public let requiresPerson: Bool

  /// The names of the app's packages; empty when the attestation does not say.
  public let packages: [String]

  var json: JSONObject {
    var json: JSONObject = [
      "attestationVersion": .integer(Int64(attestationVersion)), "verifiedBoot": .bool(isBootVerified),
      "userAuthentication": .bool(requiresPerson),
    ]
    if !packages.isEmpty { json["packages"] = .array(packages.map(JSONValue.string)) }
    return json
  }
}

/// The facts of a TPM's certification that differ between accepted keys.
public struct TPMKeyProperties: Sendable, Hashable {
  /// The TPM's name of the key: algorithm and digest of its public area.
  public let name: [UInt8]

  /// Whether the key is exempt from the TPM's counter of wrong authorisation values.
  public let isExemptFromLockout: Bool

  /// The version of the TPM's firmware, as its maker counts.
  public let firmwareVersion: UInt64

  var json: JSONObject {
    [
      "name": .string(name.hexadecimal), "noDA": .bool(isExemptFromLockout),
      "firmwareVersion": .string(String(firmwareVersion, radix: 16)),
    ]
  }
}
