internal import Bytes
internal import Crypto

/// A public key on P-256, of one of the types that this device makes. The point was checked to be on the curve.
///
/// `ecdsa-sha2-nistp256` (RFC 5656 §3.1) is a plain device key. `sk-ecdsa-sha2-nistp256@openssh.com` (OpenSSH's PROTOCOL.u2f) is a
/// security key's: its signatures say whether somebody was present and was verified.
package struct SSHPublicKey: Sendable, Hashable {
  package static let type = "ecdsa-sha2-nistp256"
  package static let securityKeyType = "sk-ecdsa-sha2-nistp256@openssh.com"
  private static let curve = "nistp256"

  /// `04 ‖ X ‖ Y`, 65 bytes.
  package let point: [UInt8]
  /// A security key's relying party, such as `ssh:`; `nil` for a plain device key.
  package let application: String?

  /// - Throws: ``SSHFormatError`` unless `point` is an uncompressed point on P-256.
  package init(point: [UInt8], application: String? = nil) throws(SSHFormatError) {
    guard point.count == 65, point[0] == 4, (try? P256.Signing.PublicKey(x963Representation: point)) != nil
    else { throw SSHFormatError("The key is not an uncompressed point on P-256.") }
    (self.point, self.application) = (point, application)
  }

  package init(parsing blob: [UInt8]) throws(SSHFormatError) {
    var reader = SSHReader(blob)
    try self.init(type: try reader.text(), fields: &reader)
    try reader.end()
  }

  /// Reads the fields after the type.
  init(type: String, fields reader: inout SSHReader) throws(SSHFormatError) {
    guard type == Self.type || type == Self.securityKeyType else {
      throw SSHFormatError("The key is neither of type \(Self.type) nor of \(Self.securityKeyType).")
    }
    guard try reader.string() == Array(Self.curve.utf8) else {
      throw SSHFormatError("The key is on another curve.")
    }
    let point = try reader.string()
    try self.init(point: point, application: type == Self.type ? nil : try reader.text())
  }

  /// The name of its type.
  package var type: String { application == nil ? Self.type : Self.securityKeyType }

  /// The key in wire format (RFC 4253 §6.6).
  package var blob: [UInt8] { SSHField.bytes([.text(type)] + fields) }

  /// The fields after the type in ``blob``.
  var fields: [SSHField] {
    [.text(Self.curve), .string(point)] + (application.map { [.text($0)] } ?? [])
  }

  /// `SHA256:` and the hash of ``blob``, as OpenSSH shows keys.
  package var fingerprint: String { Self.fingerprint(of: blob) }

  /// The fingerprint of a key of any type.
  package static func fingerprint(of blob: [UInt8]) -> String {
    let text = PaddedBase64.encode(SHA256.hash(data: blob))
    return "SHA256:" + text.prefix { $0 != "=" }
  }

  /// A signature in wire format (RFC 5656 §3.1.2).
  ///
  /// - Parameter raw: r ‖ s, 64 bytes.
  package static func signatureBlob(raw: [UInt8]) throws(SSHFormatError) -> [UInt8] {
    SSHField.bytes([.text(type), try numbers(raw)])
  }

  /// A security key's signature in wire format (PROTOCOL.u2f, "SSH U2F Signatures").
  ///
  /// - Parameters:
  ///   - raw: r ‖ s, 64 bytes, over authenticator data and hash (WebAuthn L3 §6.3.3).
  ///   - flags: Those of the authenticator data.
  ///   - counter: That of the authenticator data.
  package static func securityKeySignatureBlob(
    raw: [UInt8], flags: UInt8, counter: UInt32
  ) throws(SSHFormatError) -> [UInt8] {
    SSHField.bytes([.text(securityKeyType), try numbers(raw), .byte(flags), .uint32(counter)])
  }

  private static func numbers(_ raw: [UInt8]) throws(SSHFormatError) -> SSHField {
    guard raw.count == 64 else { throw SSHFormatError("A signature of a P-256 key has 64 bytes.") }
    return .nested([.number(Array(raw[..<32])), .number(Array(raw[32...]))])
  }
}
