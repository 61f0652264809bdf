import Foundation
import JourneyServer
import JourneyTesting
import Testing

/// The exports of Examples/journeys, shaped as tenants export them, with the test files that play them.
@Suite struct ExampleJourneysTests {
  private static let folder = BundledJourneyFilesTests.folder.appending(path: "Exports")

  /// Test files, and the folder or file that each plays.
  static let files = [("platform.yaml", "platform"), ("staff.yaml", "field"), ("field.yaml", "field")]

  /// Whether the server has every node type of the journeys.
  private static func loads(_ folder: String) -> Bool {
    let place = Self.folder.appending(path: "../../../Examples/journeys/\(folder)").standardizedFileURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    return !names.isEmpty
      && names.allSatisfy { name in
        guard let data = try? Data(contentsOf: place.appending(path: name)) else { return false }
        return (try? JourneyFileCheck.check(Array(data), source: name)) != nil
      }
  }

  @Test(arguments: files.filter { loads($0.1) }.map(\.0))
  func `an export of the field loads and does what its team expects`(name: String) async throws {
    let report = try await JourneyTests().run([Self.folder.appending(path: name)])
    #expect(report.isSuccess, "\(report.text())")
  }

  @Test func `every export has a test file`() throws {
    let folders = try FileManager.default.contentsOfDirectory(
      atPath: Self.folder.appending(path: "../../../Examples/journeys").standardizedFileURL.path)
    #expect(Set(folders) == Set(Self.files.map(\.1)))
    #expect(Set(BundledJourneyFilesTests.names(in: Self.folder)) == Set(Self.files.map(\.0)))
  }
}
