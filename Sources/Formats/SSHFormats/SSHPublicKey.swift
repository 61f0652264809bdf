internal import Bytes
internal import Crypto

/// A public key `ecdsa-sha2-nistp256` (RFC 5656 §3.1), the type that device keys have. The point was checked to be on the curve.
package struct SSHPublicKey: Sendable, Hashable {
  package static let type = "ecdsa-sha2-nistp256"
  private static let curve = "nistp256"

  /// `04 ‖ X ‖ Y`, 65 bytes.
  package let point: [UInt8]

  /// - Throws: ``SSHFormatError`` unless `point` is an uncompressed point on P-256.
  package init(point: [UInt8]) throws(SSHFormatError) {
    guard point.count == 65, point[0] == 4, (try? P256.Signing.PublicKey(x963Representation: point)) != nil
    else { throw SSHFormatError("The key is not an uncompressed point on P-256.") }
    self.point = point
  }

  package init(parsing blob: [UInt8]) throws(SSHFormatError) {
    var reader = SSHReader(blob)
    guard try reader.string() == Array(Self.type.utf8) else {
      throw SSHFormatError("The key is not of type \(Self.type).")
    }
    guard try reader.string() == Array(Self.curve.utf8) else {
      throw SSHFormatError("The key is on another curve.")
    }
    let point = try reader.string()
    try reader.end()
    try self.init(point: point)
  }

  /// The key as it travels (RFC 4253 §6.6).
  package var blob: [UInt8] {
    var writer = SSHWriter()
    writer.text(Self.type)
    writer.text(Self.curve)
    writer.string(point)
    return writer.bytes
  }

  /// `SHA256:` and the hash of ``blob``, as OpenSSH shows keys.
  package var fingerprint: String { Self.fingerprint(of: blob) }

  /// The fingerprint of a key of any type.
  package static func fingerprint(of blob: [UInt8]) -> String {
    let text = PaddedBase64.encode(SHA256.hash(data: blob))
    return "SHA256:" + text.prefix { $0 != "=" }
  }

  /// A signature as it travels (RFC 5656 §3.1.2).
  ///
  /// - Parameter raw: r ‖ s, 64 bytes.
  package static func signatureBlob(raw: [UInt8]) throws(SSHFormatError) -> [UInt8] {
    guard raw.count == 64 else { throw SSHFormatError("A signature of a P-256 key has 64 bytes.") }
    var numbers = SSHWriter()
    numbers.number(raw[..<32])
    numbers.number(raw[32...])
    var writer = SSHWriter()
    writer.text(type)
    writer.string(numbers.bytes)
    return writer.bytes
  }
}
