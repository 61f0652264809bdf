internal import Bytes

/// A line of `authorized_keys` or of a `.pub` file, without options: type, key, comment (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
package struct AuthorizedKey: Sendable, Hashable {
  package let key: SSHPublicKey
  /// What follows the key; may be empty.
  package let comment: String

  /// - Parameter comment: Line breaks and other controls in it become blanks: a comment never begins a line.
  package init(key: SSHPublicKey, comment: String) {
    self.key = key
    self.comment = comment.onOneLine
  }

  package init(parsing line: String) throws(SSHFormatError) {
    guard line.utf8.count <= 16 << 10 else { throw SSHFormatError("The line is longer than 16 KiB.") }
    let words = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
    guard words.count >= 2, words[0] == SSHPublicKey.type, let blob = PaddedBase64.decode(words[1]) else {
      throw SSHFormatError("The line is not a key of type \(SSHPublicKey.type).")
    }
    key = try SSHPublicKey(parsing: blob)
    comment = words.count > 2 ? String(words[2]).onOneLine : ""
  }

  package var line: String { Self.line(type: SSHPublicKey.type, blob: key.blob, comment: comment) }

  static func line(type: String, blob: [UInt8], comment: String) -> String {
    let (key, comment) = ("\(type) \(PaddedBase64.encode(blob))", comment.onOneLine)
    return comment.isEmpty ? key : "\(key) \(comment)"
  }
}
