import CommonFixtures
import Foundation
import JourneyTesting
import Testing

/// The test files that pages show.
@Suite struct PagesTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL

  /// The blocks of YAML that are whole test files.
  private static func files(in page: String) throws -> [String] {
    let text = try String(contentsOf: root.appending(path: "docs/\(page)"), encoding: .utf8)
    return text.components(separatedBy: "```yaml\n").dropFirst().compactMap { rest in
      rest.components(separatedBy: "```").first
    }.filter { $0.contains("\ntests:\n") }
  }

  @Test(arguments: ["testing-journeys.md", "from-pingam.md"])
  func `a test file in a page does what the page says`(page: String) async throws {
    let folder = try TemporaryFolder.make()
    let files = try Self.files(in: page)
    #expect(!files.isEmpty)
    let journey = try Data(contentsOf: Self.root.appending(path: "journeys/Login.journey.json"))
    try folder.write(Array(journey), to: "journeys/alpha/Login.journey.json")
    for file in files {
      try folder.write(Array(file.utf8), to: "login.yaml")
      let report = try await JourneyTests().run([folder.file("login.yaml")])
      #expect(report.isSuccess, "\(report.text())")
    }
  }

  @Test func `the page shows the file that it has the reader copy`() throws {
    let example = try String(
      contentsOf: Self.root.appending(path: "Examples/journey-tests/login.yaml"), encoding: .utf8)
    #expect(try Self.files(in: "from-pingam.md") == [example])
  }
}
