import CommonFixtures
import Foundation

/// Programs of others that draw and read QR codes, from `scripts/bootstrap --test`.
enum OtherPrograms {
  /// What the program prints; `nil` when it fails.
  static func run(_ program: String, _ arguments: [String]) -> [UInt8]? {
    let quoted = arguments.map { "'\($0.replacing("'", with: "'\\''"))'" }.joined(separator: " ")
    guard let stream = popen("\(program) \(quoted) 2>/dev/null", "r") else { return nil }
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65536)
    while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 {
      output += buffer[..<count]
    }
    return pclose(stream) == 0 ? output : nil
  }

  /// Runs `body` with a file that holds `bytes`.
  static func withFile<Result>(
    _ bytes: some Sequence<UInt8>, extension suffix: String, _ body: (String) throws -> Result
  ) throws -> Result {
    try withTemporaryFolder { folder in
      let file = folder.appending(path: "qr.\(suffix)")
      try Data(bytes).write(to: file)
      return try body(file.path(percentEncoded: false))
    }
  }
}
