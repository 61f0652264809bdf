import CommonFixtures
import Foundation
import JourneyServer
import JourneyTesting
import Testing

/// The files of Tests/Journeys, which cover the bundled journeys.
@Suite struct BundledJourneyFilesTests {
  static let folder = URL(filePath: #filePath).appending(path: "../../../Journeys").standardizedFileURL

  static let files = names(in: folder)

  static func names(in folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".yaml") }.sorted()
  }

  @Test func `bundled journeys do what their files say, with every node and outcome covered or listed`()
    async throws
  {
    let report = try await JourneyTests().run(Self.files.map { Self.folder.appending(path: $0) })
    #expect(report.isSuccess, "\(report.text())")
    #expect(report.isCovered, "\(report.text())")
    let bundled = try FileManager.default.contentsOfDirectory(
      atPath: Self.folder.appending(path: "../../journeys").standardizedFileURL.path)
    let suffix = ".journey.json"
    let journeys = bundled.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
    #expect(Set(report.coverage.map(\.journey)) == Set(journeys))
  }
}
