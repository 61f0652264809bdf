/// Lines of standard input, one at a time, for secrets that a script passes.
actor StandardInput {
  static let shared = StandardInput()

  /// The next line without its end; `nil` at the end of input. Longer than 4,096 bytes is refused.
  func nextLine() throws -> String? {
    guard let line = readLine(strippingNewline: true) else { return nil }
    guard line.utf8.count <= 4096 else {
      throw CommandFailure(
        "A line of standard input is longer than 4096 bytes; secrets are shorter. Check what is piped in.",
        code: .invalid)
    }
    return line
  }

  /// The next line, which must not be empty.
  ///
  /// - Parameters:
  ///   - content: What it holds.
  ///   - option: The option that announces it.
  func line(of content: String, for option: String? = nil) throws -> String {
    guard let line = try nextLine(), !line.isEmpty else {
      throw CommandFailure(
        "There is no \(content) on standard input\(option.map { " for \($0)" } ?? ""); pipe it in on a line of its own.",
        code: .usage)
    }
    return line
  }
}
