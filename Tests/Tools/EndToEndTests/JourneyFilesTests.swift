import CommonFixtures
import Foundation
import StrictJSON
import Testing

/// The files of Tests/Journeys, played by `sealring journey test`: in a process of its own, because callbacks are known process-wide, and
/// other tests change which ones are.
@Suite struct JourneyFilesTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
  private static let folder = root.appending(path: "Tests/Journeys")

  private static func names(in folder: URL, _ suffix: String) throws -> Set<String> {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return Set(names.filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) })
  }

  // Twenty seconds: every bundled journey is played until each of its nodes and outcomes was met.
  @Test func `bundled journeys do what their files say, with every node and outcome covered or listed`()
    async throws
  {
    try await withTemporaryFolder { home in
      let played = try await CommandLineTool(home: home)
        .run(["journey", "test", "--require-coverage", "--json", Self.folder.path])
      #expect(played.status == 0, "\(played.output.prefix(20_000)) \(played.errors)")
      let report = try JSONValue(parsing: played.output)
      #expect(report["passed"] == true && report["covered"] == true)
      let covered = (report["coverage"]?.arrayValue ?? []).compactMap { $0["journey"]?.stringValue }
      #expect(try Set(covered) == Self.names(in: Self.root.appending(path: "journeys"), ".journey.json"))
    }
  }

  /// Test files, and the folder of exports that each plays.
  static let exports = [("platform", "platform"), ("staff", "field"), ("field", "field")]

  @Test(arguments: exports.map(\.0))
  func `an export of the field loads and does what its team expects`(name: String) async throws {
    try await withTemporaryFolder { home in
      let file = Self.folder.appending(path: "Exports/\(name).yaml").path
      let played = try await CommandLineTool(home: home).run(["journey", "test", file])
      #expect(played.status == 0, "\(played.output) \(played.errors)")
    }
  }

  @Test func `scripts/compare-am plays a folder of exports, and those of this repository`() async throws {
    try await withTemporaryFolder { home in
      var environment = CommandLineTool(home: home).variables
      environment["SEALRING"] = CommandLineTool.binary.path(percentEncoded: false)
      func compare(_ arguments: String...) async throws -> CommandResult {
        try await RunningCommand(
          path: Self.root.appending(path: "scripts/compare-am").path, arguments: arguments,
          environment: environment, input: ""
        ).finish()
      }
      let exports = try await compare(Self.root.appending(path: "Tests/Tools/Exports").path)
      #expect(exports.status == 1, "\(exports.errors)")
      #expect(
        exports.output.contains("Draft: does not load: ")
          && exports.output.contains("Hotel: stops at Book (HotelNode)"))
      let own = try await compare(Self.root.appending(path: "journeys").path, "--json")
      #expect(own.status == 0, "\(own.errors)")
      let login = try JSONValue(parsing: own.output).arrayValue?.first { $0["journey"] == "Login" }
      #expect(login?["result"] == "success")
      #expect(try await compare().status == 64)
    }
  }

  @Test func `every export has a test file`() throws {
    let examples = Self.root.appending(path: "Examples/journeys")
    let folders = try FileManager.default.contentsOfDirectory(atPath: examples.path)
    #expect(Set(folders) == Set(Self.exports.map(\.1)))
    #expect(try Self.names(in: Self.folder.appending(path: "Exports"), ".yaml") == Set(Self.exports.map(\.0)))
  }
}
