internal import Bytes

/// A line of `authorized_keys` or of a `.pub` file, without options: type, key, comment (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
package struct AuthorizedKey: Sendable, Hashable {
  package let key: SSHPublicKey
  /// The text after the key; may be empty.
  package let comment: String

  /// - Parameter comment: Line breaks and other controls in it become blanks: a comment never begins a line.
  package init(key: SSHPublicKey, comment: String) {
    self.key = key
    self.comment = comment.onOneLine
  }

  package init(parsing line: String) throws(SSHFormatError) {
    let (type, blob, comment) = try Self.parts(of: line)
    key = try SSHPublicKey(parsing: blob)
    guard key.type == type else { throw SSHFormatError("The line is not a key of type \(key.type).") }
    self.comment = comment
  }

  package var line: String { Self.line(type: key.type, blob: key.blob, comment: comment) }

  /// The parts of a line with a key or a certificate.
  static func parts(
    of line: String
  ) throws(SSHFormatError) -> (type: String, blob: [UInt8], comment: String) {
    guard line.utf8.count <= 32 << 10 else { throw SSHFormatError("The line is longer than 32 KiB.") }
    let words = line.split(maxSplits: 2, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    guard words.count >= 2, let blob = PaddedBase64.decode(words[1]) else {
      throw SSHFormatError("The line is not a type and a key in Base64.")
    }
    return (String(words[0]), blob, words.count > 2 ? String(words[2]).onOneLine : "")
  }

  static func line(type: String, blob: [UInt8], comment: String) -> String {
    let (key, comment) = ("\(type) \(PaddedBase64.encode(blob))", comment.onOneLine)
    return comment.isEmpty ? key : "\(key) \(comment)"
  }
}
