internal import Bytes
internal import CBOR
public import Crypto
internal import Foundation
internal import SwiftASN1
internal import X509

/// Apple's part of App Attest, for tests: a root, an authority below it, and what a device and its app get of them. Made byte by byte, so
/// that tests can get each byte wrong.
public struct AppAttestAuthority: Sendable {
  private let key = P384.Signing.PrivateKey()
  private let certificate: Certificate

  /// DER of root and of the authority between.
  public let root: [UInt8]
  public let intermediate: [UInt8]

  private static let validity = (
    Date(timeIntervalSince1970: 1_700_000_000), Date(timeIntervalSince1970: 2_000_000_000)
  )

  public init(_ name: String = "App Attest") throws {
    let rootKey = P384.Signing.PrivateKey()
    let rootName = try DistinguishedName { CommonName("\(name) Root") }
    let authority = try Certificate.Extensions {
      Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
      Critical(KeyUsage(keyCertSign: true))
    }
    root = try Self.certificate(
      Certificate.PublicKey(rootKey.publicKey), rootName, rootName, authority, rootKey
    ).der
    certificate = try Self.certificate(
      Certificate.PublicKey(key.publicKey), DistinguishedName { CommonName("\(name) CA 1") }, rootName,
      authority,
      rootKey)
    intermediate = try certificate.der
  }

  private static func certificate(
    _ key: Certificate.PublicKey, _ subject: DistinguishedName, _ issuer: DistinguishedName,
    _ extensions: Certificate.Extensions, _ signer: P384.Signing.PrivateKey
  ) throws -> Certificate {
    try Certificate(
      version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: key, notValidBefore: validity.0,
      notValidAfter: validity.1, issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA384,
      extensions: extensions, issuerPrivateKey: Certificate.PrivateKey(signer))
  }

  /// One answer of an app, of which tests change parts before it is made.
  public struct Answer: Sendable {
    public var applicationID = "ABCDE12345.com.example.app"
    public var clientData: [UInt8]
    public var key = P256.Signing.PrivateKey()
    public var model = Array("appattest".utf8) + [UInt8](repeating: 0, count: 7)
    public var counter: UInt32 = 0
    public var assertionCounter: UInt32 = 1
    public var format = "apple-appattest"

    /// The key that the certificate is for, when it is not ``key``.
    public var certifiedKey: P256.Signing.PublicKey?
    public var keyID: [UInt8]?
    public var credentialID: [UInt8]?

    /// What the certificate's nonce is made of, when it is not ``clientData``.
    public var attestedClientData: [UInt8]?
    public var nonceExtension = true

    /// What an app hands over in place of client data, where that is not known.
    public var clientDataHash: [UInt8]?

    /// The app, client data and key of the assertion, when they are not those of the attestation.
    public var assertedApplicationID: String?
    public var assertedClientData: [UInt8]?
    public var assertingKey: P256.Signing.PrivateKey?
    public var changesAttestation: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    public var changesAssertion: @Sendable ([UInt8]) -> [UInt8] = { $0 }

    public init(clientData: [UInt8]) { self.clientData = clientData }

    func hash(of other: [UInt8]?) -> [UInt8] {
      clientDataHash ?? Array(SHA256.hash(data: other ?? clientData))
    }

    /// Of an app that answers `challenge`.
    public init(challenge: String, bundleID: String? = "com.example.app") {
      let bundle = bundleID.map { #","bundleId":"\#($0)""# } ?? ""
      self.init(clientData: Array(#"{"challenge":"\#(challenge)"\#(bundle)}"#.utf8))
    }
  }

  /// The callback's inputs, each in Base64.
  public func inputs(_ answer: Answer) throws -> [String: String] {
    let point = Array((answer.certifiedKey ?? answer.key.publicKey).x963Representation)
    let identifier = Array(SHA256.hash(data: point))
    return [
      "attestToken": PaddedBase64.encode(answer.changesAttestation(try attestation(answer, identifier))),
      "token": PaddedBase64.encode(answer.changesAssertion(try assertion(answer))),
      "keyId": PaddedBase64.encode(answer.keyID ?? identifier),
      "clientData": PaddedBase64.encode(answer.clientData), "clientError": "",
    ]
  }

  private func attestation(_ answer: Answer, _ identifier: [UInt8]) throws -> [UInt8] {
    let point = Array(answer.key.publicKey.rawRepresentation)
    let cose: CBORMap = [
      1: 2, 3: -7, -1: 1, -2: .bytes(Array(point[..<32])), -3: .bytes(Array(point[32...])),
    ]
    let credential = answer.credentialID ?? identifier
    let data =
      Self.head(answer.applicationID, answer.counter) + answer.model
      + [UInt8(credential.count >> 8), UInt8(credential.count & 0xFF)] + credential
      + CBORValue.map(cose).encoded
    let nonce = SHA256.hash(
      data: data + answer.hash(of: answer.attestedClientData))
    let leaf = try Self.certificate(
      Certificate.PublicKey(answer.certifiedKey ?? answer.key.publicKey),
      DistinguishedName { CommonName(identifier.hexadecimal) }, certificate.subject,
      try Certificate.Extensions {
        Critical(BasicConstraints.notCertificateAuthority)
        Critical(KeyUsage(digitalSignature: true))
        if answer.nonceExtension {
          Certificate.Extension(
            oid: [1, 2, 840, 113635, 100, 8, 2], critical: false,
            value: ArraySlice([0x30, 0x24, 0xA1, 0x22, 0x04, 0x20] + Array(nonce)))
        }
      }, key)
    let object: CBORValue = [
      "fmt": .text(answer.format),
      "attStmt": [
        "x5c": [.bytes(try leaf.der), .bytes(intermediate)],
        "receipt": .bytes([UInt8](repeating: 7, count: 3000)),
      ], "authData": .bytes(data),
    ]
    return object.encoded
  }

  private func assertion(_ answer: Answer) throws -> [UInt8] {
    let data = Self.head(answer.assertedApplicationID ?? answer.applicationID, answer.assertionCounter)
    let nonce = Array(
      SHA256.hash(data: data + answer.hash(of: answer.assertedClientData)))
    let object: CBORValue = [
      "signature": .bytes(
        Array(try (answer.assertingKey ?? answer.key).signature(for: nonce).derRepresentation)),
      "authenticatorData": .bytes(data),
    ]
    return object.encoded
  }

  /// App Attest has the flag for an attested credential in both.
  private static func head(_ applicationID: String, _ counter: UInt32) -> [UInt8] {
    Array(SHA256.hash(data: Array(applicationID.utf8))) + [0x40] + counter.bigEndianBytes
  }
}

extension Certificate {
  fileprivate var der: [UInt8] {
    get throws {
      var serializer = DER.Serializer()
      try serializer.serialize(self)
      return serializer.serializedBytes
    }
  }
}
