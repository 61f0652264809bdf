import Foundation
import Testing

/// The articles promise examples that compile: this target compiles them, and this test compares the texts.
@Suite struct DocumentationTests {
  private static let here = URL(filePath: #filePath).deletingLastPathComponent()

  private static func compiled() throws -> String {
    try ["BindingExamples", "JourneyExamples", "LegacyExamples"].map {
      try String(contentsOf: here.appending(path: "\($0).swift"), encoding: .utf8)
    }
    .joined()
  }

  @Test(arguments: [
    ("PingBinding/PingBinding.docc/BindingKeysToADevice.md", 2),
    ("PingBinding/PingBinding.docc/AdaptingPingBinding.md", 6),
    ("PingJourney/PingJourney.docc/PingJourney.md", 1),
    ("FRDeviceBinding/FRDeviceBinding.docc/ComingFromFRDeviceBinding.md", 2),
  ])
  func everyExampleIsTheOneThatIsCompiledHere(article: String, count: Int) throws {
    let file = Self.here.appending(path: "../../../Sources/Client/\(article)").standardizedFileURL
    let text = try String(contentsOf: file, encoding: .utf8)
    let examples = text.components(separatedBy: "```swift\n").dropFirst()
      .compactMap { $0.components(separatedBy: "```").first }
    #expect(examples.count == count)
    let compiled = try Self.compiled()
    for example in examples { #expect(compiled.contains(example), "\(article):\n\(example)") }
  }
}
