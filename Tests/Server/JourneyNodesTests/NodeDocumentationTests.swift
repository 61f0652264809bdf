import Foundation
import Testing

@testable import JourneyNodes

@Suite("The reference of node types") struct NodeDocumentationTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "docs/nodes.md")

  @Test func `every type and every property that its code reads is described, and nothing else`() async throws
  {
    #expect(try await NodeReference(NodeLibrary.registry(services: World().services)).faults() == [])
  }

  /// `scripts/docs nodes` writes it.
  @Test func `the page says what the library does`() async throws {
    let text = try await NodeReference(NodeLibrary.registry(services: World().services)).page()
    if ProcessInfo.processInfo.environment["SEALRING_WRITE_DOCS"] == "1" {
      try text.write(to: Self.page, atomically: true, encoding: .utf8)
    }
    #expect(try String(contentsOf: Self.page, encoding: .utf8) == text, "run scripts/docs nodes")
  }
}
