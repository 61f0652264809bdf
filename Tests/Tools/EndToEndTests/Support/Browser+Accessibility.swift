import Foundation
import StrictJSON
import Testing

extension Browser {
  enum ColourScheme: String, CaseIterable { case light, dark }

  /// Shows pages in that scheme from now on.
  func prefer(_ scheme: ColourScheme) async throws {
    try await command(
      "Emulation.setEmulatedMedia",
      ["features": [["name": "prefers-color-scheme", "value": .string(scheme.rawValue)]]])
  }

  /// What axe-core finds on the page as it is, in both colour schemes, against WCAG 2.2 A and AA: each violation with the scheme, the rule
  /// and the elements. Empty when there is nothing to complain of.
  ///
  /// The page must not move meanwhile. Afterwards it is shown in the light scheme.
  func accessibilityViolations() async throws -> [String] {
    var found: [String] = []
    for scheme in ColourScheme.allCases.reversed() {
      try await prefer(scheme)
      if try await evaluate("return typeof window.axe") != "object" {
        _ = try await evaluate(try Self.axe())
      }
      let result = try await evaluateLater(Self.check)
      if let fault = result["fault"]?.stringValue { throw BrowserFailure(description: "axe-core: \(fault)") }
      // A check that looks at nothing finds nothing.
      #expect((result["passes"]?.integerValue ?? 0) > 5, "axe-core has checked next to nothing")
      for violation in result["violations"]?.arrayValue ?? [] {
        found.append("\(scheme.rawValue): \(violation.stringValue ?? "")")
      }
    }
    return found
  }

  private static let check = """
    const done = arguments[0];
    const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
    axe.run(document, { runOnly: { type: "tag", values: tags }, resultTypes: ["violations"] }).then(
      (result) => done({
        passes: result.passes.length,
        violations: result.violations.map((rule) =>
          rule.id + ": " + rule.help + ": " + rule.nodes.slice(0, 5).map((node) => node.html + " " + node.failureSummary).join(" | ")),
      }),
      (error) => done({ fault: String(error) }));
    """

  private static func axe() throws -> String {
    let place = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../../.build/test-axe/lib").standardizedFileURL
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: place.path())) ?? []
    let file = versions.map { place.appending(path: "\($0)/site-packages/axe_playwright_python/axe.min.js") }
      .first { FileManager.default.fileExists(atPath: $0.path()) }
    return try String(
      contentsOf: try #require(file, "scripts/bootstrap --test installs axe-core"), encoding: .utf8)
  }
}
