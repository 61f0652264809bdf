import Foundation

/// Lines of standard input, one at a time, for secrets that a script passes.
actor StandardInput {
  static let shared = StandardInput()

  /// Longest line in bytes.
  private static let longest = 4096

  /// The next line without its end; `nil` at the end of input. Throws for lines longer than 4,096 bytes.
  func nextLine() throws -> String? {
    var line: [UInt8] = []
    while let byte = nextByte() {
      guard byte != UInt8(ascii: "\n") else {
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return try text(of: line)
      }
      line.append(byte)
      // One further byte may be the line's end.
      if line.count > Self.longest + 1 { break }
    }
    return line.isEmpty ? nil : try text(of: line)
  }

  private func text(of line: [UInt8]) throws -> String {
    guard line.count <= Self.longest else {
      throw CommandFailure.invalid(
        "A line of standard input is longer than \(Self.longest) bytes; secrets are shorter. Check what is piped in."
      )
    }
    return String(decoding: line, as: UTF8.self)
  }

  /// Reads one byte at a time, because the bytes after the line belong to the next reader.
  private func nextByte() -> UInt8? {
    var byte: UInt8 = 0
    var count = read(CommandProcess.current.input, &byte, 1)
    while count < 0, errno == EINTR { count = read(CommandProcess.current.input, &byte, 1) }
    return count == 1 ? byte : nil
  }

  /// The next line, which must not be empty.
  ///
  /// - Parameters:
  ///   - content: The content of the line, for messages.
  ///   - option: The option that announces it.
  func line(of content: String, for option: String? = nil) throws -> String {
    guard let line = try nextLine(), !line.isEmpty else {
      throw CommandFailure.usage(
        "There is no \(content) on standard input\(option.map { " for \($0)" } ?? ""); pipe it in on a line of its own."
      )
    }
    return line
  }
}
