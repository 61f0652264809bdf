import Foundation
import Testing

@testable import Operations
@testable import ServerHTTP

@Suite("The table of docs/limits.md") struct LimitsTableTests {
  /// The default that the page gives for each name, in bytes, seconds, or as a number.
  private static let documented: [String: Double] = {
    let page = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../docs/limits.md").standardizedFileURL
    let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
    var values: [String: Double] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| ") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 4, let name = cells[2].split(separator: "`").first else { continue }
      values[String(name)] = number(cells[1])
    }
    return values
  }()

  private static func number(_ text: String) -> Double? {
    let words = text.split(separator: " ")
    let factors: [Substring: Double] = ["KiB": 1024, "MiB": 1_048_576, "s": 1]
    guard let value = words.first.flatMap({ Double($0.replacing(",", with: "")) }) else { return nil }
    return words.count > 1 ? factors[words[1]].map { $0 * value } : value
  }

  /// Names and defaults of the code.
  private static let defaults: [(name: String, value: Double)] = {
    let limits = ServerLimits()
    let children =
      Array(Mirror(reflecting: limits).children) + Array(Mirror(reflecting: limits.stored).children)
    return children.compactMap { child in
      guard let name = child.label else { return nil }
      let value = child.value as? Double ?? (child.value as? Int).map(Double.init)
      return value.map { (name, $0) }
    }
  }()

  @Test func `has each limit with its default`() throws {
    #expect(Self.defaults.count == 30)
    for (name, value) in Self.defaults { #expect(Self.documented[name] == value, "\(name)") }
  }

  @Test func `has nothing that is not in the code`() {
    #expect(Set(Self.documented.keys) == Set(Self.defaults.map(\.name)))
  }
}
