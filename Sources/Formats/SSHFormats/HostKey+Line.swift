internal import Bytes

extension HostKey {
  /// Reads a line of a `.pub` file: type, key, comment.
  ///
  /// - Returns: the key, and the comment on one line; it may be empty.
  /// - Throws: ``SSHFormatError``, also when the line has options, or names another type than the key.
  package static func parse(line: String) throws(SSHFormatError) -> (key: HostKey, comment: String) {
    guard line.utf8.count <= 16 << 10 else { throw SSHFormatError("The line is longer than 16 KiB.") }
    let words = line.split(maxSplits: 2, omittingEmptySubsequences: true) { $0 == " " || $0 == "\t" }
    guard words.count >= 2, let blob = PaddedBase64.decode(words[1]) else {
      throw SSHFormatError("The line is not a public key of SSH.")
    }
    let key = try HostKey(parsing: blob)
    guard key.type == words[0] else { throw SSHFormatError("The line names another type than its key has.") }
    return (key, words.count > 2 ? String(words[2]).onOneLine : "")
  }

  /// The key as such a line.
  package func line(comment: String) -> String {
    AuthorizedKey.line(type: type, blob: blob, comment: comment)
  }
}
