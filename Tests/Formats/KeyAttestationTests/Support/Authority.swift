import Crypto
import Foundation
import JOSE
import StrictJSON
import SwiftASN1
import X509

/// The time at which tests verify.
let testTime = Date(timeIntervalSince1970: 1_800_000_000)

/// A certificate authority of the tests.
struct Authority: Sendable {
  let key: P256.Signing.PrivateKey
  let certificate: Certificate

  var der: [UInt8] { certificate.derBytes }

  /// What differs between the certificates of the tests.
  struct Profile: Sendable {
    var version = Certificate.Version.v3
    var notBefore = testTime.addingTimeInterval(-3600)
    var notAfter = testTime.addingTimeInterval(3600)
    var isAuthority = true
    var maxPathLength: Int?
    var keyUsage: KeyUsage? = KeyUsage(keyCertSign: true)
    var extensions: [Certificate.Extension] = []
    var serialNumber: UInt64 = 0x1234

    /// Of an end entity.
    static var leaf: Profile {
      var profile = Profile()
      profile.isAuthority = false
      profile.keyUsage = KeyUsage(digitalSignature: true)
      return profile
    }
  }

  /// A self-signed root.
  static func root(_ name: String, profile: Profile = Profile()) throws -> Authority {
    let key = P256.Signing.PrivateKey()
    let subject = try DistinguishedName { CommonName(name) }
    return Authority(
      key: key,
      certificate: try certify(
        Certificate.PublicKey(key.publicKey), subject: subject, profile: profile, issuer: subject, by: key))
  }

  /// An authority below this one.
  func intermediate(_ name: String, profile: Profile = Profile()) throws -> Authority {
    let key = P256.Signing.PrivateKey()
    return Authority(
      key: key,
      certificate: try issue(Certificate.PublicKey(key.publicKey), subject: name, profile: profile))
  }

  /// A certificate of this authority; `nil` for a subject without name.
  func issue(_ key: Certificate.PublicKey, subject: String?, profile: Profile) throws -> Certificate {
    try Self.certify(
      key,
      subject: try subject.map { name in try DistinguishedName { CommonName(name) } } ?? DistinguishedName(),
      profile: profile, issuer: certificate.subject, by: self.key)
  }

  private static func certify(
    _ key: Certificate.PublicKey, subject: DistinguishedName, profile: Profile, issuer: DistinguishedName,
    by signer: P256.Signing.PrivateKey
  ) throws -> Certificate {
    var extensions: [Certificate.Extension] = []
    if profile.version == .v3 {
      let constraints: BasicConstraints =
        profile.isAuthority
        ? .isCertificateAuthority(maxPathLength: profile.maxPathLength) : .notCertificateAuthority
      extensions.append(try Certificate.Extension(constraints, critical: true))
      if let usage = profile.keyUsage {
        extensions.append(try Certificate.Extension(usage, critical: true))
      }
      extensions += profile.extensions
    }
    return try Certificate(
      version: profile.version, serialNumber: Certificate.SerialNumber(profile.serialNumber), publicKey: key,
      notValidBefore: profile.notBefore, notValidAfter: profile.notAfter, issuer: issuer, subject: subject,
      signatureAlgorithm: .ecdsaWithSHA256, extensions: try Certificate.Extensions(extensions),
      issuerPrivateKey: Certificate.PrivateKey(signer))
  }
}

extension Certificate {
  var derBytes: [UInt8] {
    var serializer = DER.Serializer()
    try? serializer.serialize(self)
    return serializer.serializedBytes
  }
}

extension P256.Signing.PublicKey {
  /// The key as the `jwk` of a proof, with `x5c` and further members.
  func jwk(chain: [[UInt8]], extra: JSONObject = JSONObject()) throws -> JSONObject {
    var json = try JWK(p256X963: Array(x963Representation), keyID: "kid").json
    if !chain.isEmpty {
      json["x5c"] = .array(chain.map { .string(Data($0).base64EncodedString()) })
    }
    json.merge(extra)
    return json
  }
}

/// One thing wrong, and the check that finds it.
struct Wrong<Scenario>: Sendable, CustomStringConvertible {
  let description: String
  let check: AttestationFailureCheck
  let change: @Sendable (inout Scenario) throws -> Void

  init(
    _ description: String, _ check: AttestationFailureCheck,
    _ change: @escaping @Sendable (inout Scenario) throws -> Void
  ) {
    self.description = description
    self.check = check
    self.change = change
  }
}
