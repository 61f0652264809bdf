internal import Bytes
internal import Foundation

/// Linux's files with facts about the machine.
struct SystemFiles: Sendable {
  /// The root folder: `/`, or a test's.
  var root = URL(fileURLWithPath: "/", isDirectory: true)

  private static let limit = 64 << 10

  /// A file's text, 64 KiB at most; `nil` when it cannot be read.
  func text(_ path: String) -> String? {
    guard let file = try? FileHandle(forReadingFrom: root.appendingPathComponent(path)) else { return nil }
    defer { try? file.close() }
    return (try? file.read(upToCount: Self.limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// The short text in a file, such as the machine's model; `nil` when the file is absent or empty.
  func line(_ path: String) -> String? { text(path).flatMap { String.short($0) } }

  /// The names in a folder; empty when there is none.
  func names(in path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(path).path)) ?? []
  }

  /// The value of a setting in a file of lines `NAME=value` or `NAME="value"` (os-release(5)).
  func setting(_ name: String, in path: String) -> String? {
    for line in (text(path) ?? "").split(whereSeparator: \.isNewline) where line.hasPrefix("\(name)=") {
      return String.short(line.dropFirst(name.count + 1).trimmingCharacters(in: .init(charactersIn: "\"' ")))
    }
    return nil
  }
}

extension String {
  /// `text` as one line, cut to `limit` characters; `nil` when nothing is left.
  static func short(_ text: some StringProtocol, limit: Int = ProfileLimits.text) -> String? {
    let line = text.onOneLine
    return line.isEmpty ? nil : String(line.prefix(limit))
  }
}
