import Foundation
import Testing

/// Pages that say which test shows something.
@Suite("Tests that documents name") struct NamedTestsTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: ["docs/asvs.md", "docs/security-review.md"])
  func `are there`(_ page: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: page), encoding: .utf8)
    let named = Set(text.matches(of: /`([A-Z][A-Za-z0-9]*Tests)`/).map { String($0.1) })
    #expect(named.count > 20)
    let missing = try named.subtracting(Self.suites())
    #expect(missing.isEmpty, "\(page) names \(missing.sorted())")
  }

  /// The names of test suites, files of tests and test targets.
  private static func suites() throws -> Set<String> {
    var names: Set<String> = []
    let files = FileManager.default.enumerator(
      at: root.appending(path: "Tests"), includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      let name = file.deletingPathExtension().lastPathComponent
      if name.hasSuffix("Tests") { names.insert(name) }
      guard file.pathExtension == "swift" else { continue }
      let source = try String(contentsOf: file, encoding: .utf8)
      names.formUnion(
        source.matches(of: /(?:struct|class|enum|actor) ([A-Za-z0-9]+Tests)\b/).map { String($0.1) })
    }
    return names
  }
}
