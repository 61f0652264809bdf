internal import Bytes
internal import Foundation

/// The files in which Linux tells about the machine.
struct SystemFiles: Sendable {
  /// Where they begin: `/`, or a test's folder.
  var root = URL(fileURLWithPath: "/", isDirectory: true)

  private static let limit = 64 << 10

  /// The first part of a file, 64 KiB at most; `nil` when it cannot be read.
  func text(_ path: String) -> String? {
    guard let file = try? FileHandle(forReadingFrom: root.appendingPathComponent(path)) else { return nil }
    defer { try? file.close() }
    return (try? file.read(upToCount: Self.limit)).map { String(decoding: $0, as: UTF8.self) }
  }

  /// A file that holds one short text, such as the machine's model; `nil` when it is absent or empty.
  func line(_ path: String) -> String? { text(path).flatMap { String.short($0) } }

  /// The names in a folder; empty when there is none.
  func names(in path: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(path).path)) ?? []
  }

  /// A setting of a file of lines `NAME=value` or `NAME="value"` (os-release(5)).
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
