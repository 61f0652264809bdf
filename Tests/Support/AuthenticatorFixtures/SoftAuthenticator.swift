internal import Bytes
public import CBOR
public import Crypto
internal import Foundation
internal import WebAuthnFormats

/// An authenticator and its client in a few lines, made byte by byte so that tests can get each byte wrong. It shares the number and
/// Base64 writers with the product and nothing that judges.
public struct SoftAuthenticator: Sendable {
  public var key = P256.Signing.PrivateKey()
  public var credentialID: [UInt8] = (0..<16).map { _ in .random(in: .min ... .max) }
  public var relyingPartyID: String
  public var origin: String
  public var signCount: UInt32 = 0

  public init(relyingPartyID: String = "example.com", origin: String = "https://example.com") {
    self.relyingPartyID = relyingPartyID
    self.origin = origin
  }

  /// One answer; tests change parts of it before it is made.
  public struct Answer: Sendable {
    public var type: String
    public var challenge: String
    public var origin: String
    public var moreClientData = ""
    public var relyingPartyID: String
    public var flags: UInt8
    public var signCount: UInt32
    public var credentialID: [UInt8]

    /// The id that the answer names, when it is not the attested one.
    public var namedID: [UInt8]?
    public var key: P256.Signing.PrivateKey
    public var coseKey: CBORMap
    public var format = "none"

    /// Of a registration: makes the statement.
    public var statement: @Sendable (_ signed: [UInt8], P256.Signing.PrivateKey) throws -> CBORMap = { _, _ in
      [:]
    }
    public var changesData: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    public var changesObject: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    public var changesSignature: @Sendable ([UInt8]) -> [UInt8] = { $0 }
    public var deviceName: String?
    public var userHandle: String?

    /// Changes the finished text.
    public var changesText: @Sendable (String) -> String = { $0 }

    public mutating func attestsItself(algorithm: CBORValue = -7) {
      format = "packed"
      statement = { signed, key in
        ["alg": algorithm, "sig": .bytes(Array(try key.signature(for: signed).derRepresentation))]
      }
    }

    var clientData: [UInt8] {
      Array(
        #"{"type":"\#(type)","challenge":"\#(challenge)","origin":"\#(origin)","crossOrigin":false\#(moreClientData)}"#
          .utf8)
    }

    var head: [UInt8] {
      Array(SHA256.hash(data: Array(relyingPartyID.utf8))) + [flags]
        + withUnsafeBytes(of: signCount.bigEndian, Array.init)
    }
  }

  /// - Parameter challenge: as the callback has it, in standard Base64.
  public func register(
    challenge: String, _ change: (inout Answer) throws -> Void = { _ in }
  ) throws -> String {
    var answer = self.answer("webauthn.create", challenge, flags: 0x45)
    try change(&answer)
    let attested =
      [UInt8](repeating: 0, count: 16)
      + [UInt8(answer.credentialID.count >> 8), UInt8(answer.credentialID.count & 0xFF)]
      + answer.credentialID + CBORValue.map(answer.coseKey).encoded
    let data = answer.changesData(answer.head + (answer.flags & 0x40 != 0 ? attested : []))
    let signed = data + SHA256.hash(data: answer.clientData)
    let object: CBORValue = [
      "fmt": .text(answer.format), "attStmt": .map(try answer.statement(signed, answer.key)),
      "authData": .bytes(data),
    ]
    var parts = [
      String(decoding: answer.clientData, as: UTF8.self),
      Int8List.encode(answer.changesObject(object.encoded)),
      Base64URL.encode(answer.namedID ?? answer.credentialID),
    ]
    if let name = answer.deviceName { parts.append(name) }
    return answer.changesText(parts.joined(separator: "::"))
  }

  /// Counts up first, as authenticators do.
  public mutating func authenticate(
    challenge: String, _ change: (inout Answer) throws -> Void = { _ in }
  ) throws -> String {
    signCount += 1
    var answer = self.answer("webauthn.get", challenge, flags: 0x05)
    try change(&answer)
    let data = answer.changesData(answer.head)
    let signature = try answer.key.signature(for: data + SHA256.hash(data: answer.clientData))
    var parts = [
      String(decoding: answer.clientData, as: UTF8.self), Int8List.encode(data),
      Int8List.encode(answer.changesSignature(Array(signature.derRepresentation))),
      Base64URL.encode(answer.namedID ?? answer.credentialID),
    ]
    if let handle = answer.userHandle { parts.append(handle) }
    return answer.changesText(parts.joined(separator: "::"))
  }

  private func answer(_ type: String, _ challenge: String, flags: UInt8) -> Answer {
    let point = Array(key.publicKey.rawRepresentation)
    return Answer(
      type: type, challenge: Base64URL.encode(Array(Data(base64Encoded: challenge) ?? Data())),
      origin: origin,
      relyingPartyID: relyingPartyID, flags: flags, signCount: signCount, credentialID: credentialID,
      key: key,
      coseKey: [1: 2, 3: -7, -1: 1, -2: .bytes(Array(point[..<32])), -3: .bytes(Array(point[32...]))])
  }
}
