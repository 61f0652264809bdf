import Foundation
import Testing

/// The articles promise examples that compile. This target compiles them; the tests hold the two texts together.
@Suite struct DocumentationTests {
  @Test(arguments: Article.all)
  func `each example of an article is a region that is compiled here`(article: Article) throws {
    let regions = try Region.all(in: article.sources)
    for example in try article.examples() {
      #expect(
        regions.contains { $0.text == example }, "\(article.path) has an example of its own:\n\(example)")
    }
  }

  @Test(arguments: Article.all)
  func `each region is an example of its article`(article: Article) throws {
    let examples = try article.examples()
    for region in try Region.all(in: article.sources) {
      #expect(examples.contains(region.text), "\(article.path) does not show '\(region.name)'")
    }
  }

  @Test func `there are no other articles`() throws {
    let client = Article.repository.appending(path: "Sources/Client")
    let files = try #require(FileManager.default.enumerator(atPath: client.path))
    let found = files.compactMap { $0 as? String }.filter { $0.contains(".docc/") && $0.hasSuffix(".md") }
    #expect(Set(found) == Set(Article.all.map(\.path) + Article.withoutExamples))
  }
}

/// An article, and the files of this target whose regions it shows.
struct Article: Sendable, CustomTestStringConvertible {
  /// Below `Sources/Client`.
  let path: String
  let sources: [String]

  var testDescription: String { path }

  static let all = [
    Article(
      path: "PingBinding/PingBinding.docc/BindingKeysToADevice.md", sources: ["BindingExamples.swift"]),
    Article(
      path: "PingBinding/PingBinding.docc/UsingPingBinding.md",
      sources: ["UsingExamples.swift", "UIKitExamples.swift"]),
    Article(path: "PingJourney/PingJourney.docc/PingJourney.md", sources: ["JourneyExamples.swift"]),
    Article(path: "PingPush/PingPush.docc/PingPush.md", sources: ["PushExamples.swift"]),
    Article(path: "PingOath/PingOath.docc/PingOath.md", sources: ["OathExamples.swift"]),
    Article(
      path: "FRDeviceBinding/FRDeviceBinding.docc/ComingFromFRDeviceBinding.md",
      sources: ["LegacyExamples.swift", "LegacySettingsExamples.swift"]),
  ]

  /// Landing pages that only lead on; that they have no example is tested with the rest.
  static let withoutExamples = [
    "PingBinding/PingBinding.docc/PingBinding.md", "FRDeviceBinding/FRDeviceBinding.docc/FRDeviceBinding.md",
    "PingFido/PingFido.docc/PingFido.md",
  ]

  static let here = URL(filePath: #filePath).deletingLastPathComponent()
  static let repository = here.appending(path: "../../..").standardizedFileURL

  func examples() throws -> [String] {
    let file = Self.repository.appending(path: "Sources/Client/\(path)")
    return try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
  }
}

/// What stands between `// snippet: NAME` and `// end`, without the indentation of the former.
struct Region {
  let name: String
  let text: String

  static func all(in files: [String]) throws -> [Region] {
    try files.flatMap {
      try all(inText: String(contentsOf: Article.here.appending(path: $0), encoding: .utf8))
    }
  }

  static func all(inText text: String) throws -> [Region] {
    var regions: [Region] = []
    var open: (name: String, indentation: Int, lines: [Substring])?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let content = line.drop { $0 == " " }
      if content.hasPrefix("// snippet: ") {
        #expect(open == nil, "a region inside of '\(open?.name ?? "")'")
        open = (String(content.dropFirst("// snippet: ".count)), line.count - content.count, [])
      } else if content == "// end" {
        let ended = try #require(open, "an end without a region")
        open = nil
        let body = ended.lines.map { $0.dropFirst(min(ended.indentation, $0.count)) }.joined(separator: "\n")
        regions.append(Region(name: ended.name, text: body + "\n"))
      } else {
        open?.lines.append(line)
      }
    }
    #expect(open == nil, "'\(open?.name ?? "")' does not end")
    return regions
  }
}
