import Foundation
import Testing

/// The README promises an example that compiles: this target compiles it, and this test compares the two texts.
@Suite struct ReadmeTests {
  @Test func `the README's example is the one that is compiled here`() throws {
    let here = URL(filePath: #filePath).deletingLastPathComponent()
    let readme = try String(
      contentsOf: here.appending(path: "../../../README.md").standardizedFileURL, encoding: .utf8)
    let compiled = try String(contentsOf: here.appending(path: "ReadmeExample.swift"), encoding: .utf8)
    let example = try #require(
      readme.components(separatedBy: "```swift\n").dropFirst().first?.components(separatedBy: "```").first)
    #expect(example == compiled)
  }
}
