extension HostKey {
  /// Reads a line of a `.pub` file: type, key, comment.
  ///
  /// - Returns: the key, and the comment on one line; it may be empty.
  /// - Throws: ``SSHFormatError``, also when the line has options, or names another type than the key.
  package static func parse(line: String) throws(SSHFormatError) -> (key: HostKey, comment: String) {
    let (type, blob, comment) = try AuthorizedKey.parts(of: line)
    let key = try HostKey(parsing: blob)
    guard key.type == type else { throw SSHFormatError("The line names another type than its key has.") }
    return (key, comment)
  }

  /// The key as such a line.
  package func line(comment: String) -> String {
    AuthorizedKey.line(type: type, blob: blob, comment: comment)
  }
}
