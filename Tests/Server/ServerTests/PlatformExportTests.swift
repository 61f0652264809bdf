import Foundation
import JourneyEngine
import Testing

@testable import JourneyFiles
@testable import ServerHTTP

@Suite("The platform's own journeys") struct PlatformExportTests {
  /// Platform Password puts what was typed where Patch Object looks for it, which the check did not know.
  @Test func `the journeys that every tenant begins with are checked without a remark`() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../Examples/journeys/platform")
      .standardizedFileURL
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count == 6)
    // Together, because one runs another inside.
    let (catalog, loaded) = try JourneyFileCheck.examine(
      names.map { name in
        JourneyCatalog.File(Array(try Data(contentsOf: folder.appending(path: name))), source: name)
      }, realm: "alpha")
    let journeys = Set(loaded.flatMap(\.journeys))
    #expect(journeys.count == 6 && loaded.allSatisfy(\.faults.isEmpty))
    #expect(catalog.warnings.filter { journeys.contains($0.journey) } == [])
  }
}
