internal import Bytes
internal import Crypto
internal import Foundation

/// The public key that a backup is encrypted to: X25519 (RFC 7748).
///
/// Its text ends in a checksum, because a backup encrypted to a mistyped key is unreadable, which would only be noticed when it is needed.
package struct BackupRecipient: Sendable, Hashable, CustomStringConvertible {
  static let prefix = "sealring-recipient-"
  static let length = 32

  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// - Throws: ``BackupFault`` for text that is not a public key, or is mistyped.
  package init(_ text: String) throws(BackupFault) {
    guard !text.hasPrefix(BackupIdentity.prefix) else {
      throw BackupFault(
        .key, "this is the private key; backups are encrypted to the public one, which begins \(Self.prefix)")
    }
    bytes = try KeyText.decode(text, prefix: Self.prefix, "a public key of `sealring backup keygen`")
  }

  package var description: String { KeyText.encode(bytes, prefix: Self.prefix) }
}

/// The private key that opens backups.
package struct BackupIdentity: Sendable, Redacted {
  static let prefix = "SEALRING-IDENTITY-"

  /// The longest file of a private key, in bytes.
  package static let longestFile = 4096

  let key: Curve25519.KeyAgreement.PrivateKey

  /// A new key, from the system's randomness.
  package init() { key = Curve25519.KeyAgreement.PrivateKey() }

  /// Reads a file as ``file`` writes it: one line with the key, and comment lines that begin with `#`.
  ///
  /// - Throws: ``BackupFault``.
  package init(file: [UInt8]) throws(BackupFault) {
    let text = String(decoding: file.prefix(Self.longestFile), as: UTF8.self)
    let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
    guard file.count <= Self.longestFile, lines.count == 1, let line = lines.first else {
      throw BackupFault(.key, "it does not hold one private key of `sealring backup keygen`")
    }
    let bytes = try KeyText.decode(line, prefix: Self.prefix, "a private key of `sealring backup keygen`")
    guard let key = try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: bytes) else {
      throw BackupFault(.key, "it is not a private key of X25519")
    }
    self.key = key
  }

  package var recipient: BackupRecipient { BackupRecipient(bytes: [UInt8](key.publicKey.rawRepresentation)) }

  /// The content of the key's file. Secret.
  package var file: [UInt8] {
    Array(
      """
      # Opens backups that were encrypted to \(recipient)
      # Keep it away from the server, and in more than one place.
      \(KeyText.encode([UInt8](key.rawRepresentation), prefix: Self.prefix))

      """.utf8)
  }
}

/// Keys as text: a prefix that says which it is, and base64url of 32 bytes and of 4 bytes of the hash of both.
private enum KeyText {
  static func encode(_ bytes: [UInt8], prefix: String) -> String {
    prefix + Base64URL.encode(bytes + checksum(bytes, prefix))
  }

  static func decode(_ text: String, prefix: String, _ what: String) throws(BackupFault) -> [UInt8] {
    guard text.hasPrefix(prefix), text.utf8.count < 128,
      let decoded = Base64URL.decode(text.dropFirst(prefix.count)),
      decoded.count == BackupRecipient.length + 4
    else { throw BackupFault(.key, "it is not \(what), which begins \(prefix)") }
    let bytes = [UInt8](decoded.prefix(BackupRecipient.length))
    guard ConstantTime.areEqual(decoded.suffix(4), checksum(bytes, prefix)) else {
      throw BackupFault(.key, "its checksum is wrong: it is mistyped, or a part is missing")
    }
    return bytes
  }

  private static func checksum(_ bytes: [UInt8], _ prefix: String) -> [UInt8] {
    [UInt8](SHA256.hash(data: Array(prefix.utf8) + bytes).prefix(4))
  }
}
