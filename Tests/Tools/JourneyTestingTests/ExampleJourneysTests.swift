import Foundation
import JourneyServer
import JourneyTesting
import Testing

/// The exports of Examples/journeys, shaped as tenants export them, with the test files that play them.
@Suite struct ExampleJourneysTests {
  private static let folder = BundledJourneyFilesTests.folder.appending(path: "Exports")

  /// Test files, and the folder or file that each plays.
  static let files = [("platform.yaml", "platform"), ("staff.yaml", "field"), ("field.yaml", "field")]

  @Test(arguments: files.map(\.0))
  func `an export of the field loads and does what its team expects`(name: String) async throws {
    let report = try await JourneyTests { $0.scripts.program = Self.program }
      .run([Self.folder.appending(path: name)])
    #expect(report.isSuccess, "\(report.text())")
  }

  /// Runs the exports' scripts; it lies beside the tests.
  private static let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "sealring").path(percentEncoded: false)

  @Test func `every export has a test file`() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Self.folder.appending(path: "../../../Examples/journeys").standardizedFileURL.path)
    #expect(Set(folders) == Set(Self.files.map(\.1)))
    #expect(Set(BundledJourneyFilesTests.names(in: Self.folder)) == Set(Self.files.map(\.0)))
  }
}
