import ArgumentParser
import Assembly
import Foundation
import JourneyFiles
import JourneyScripts
import JourneyTesting
import StrictJSON

extension JourneyCommand {
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Test journeys: play the scripted runs of test files, and say which nodes and outcomes they cover.",
      discussion: """
        Each test has servers of its own in this process, with a clock that it moves, devices with software keys, and mail that is not \
        sent but read. Nothing outside this process is touched. The page testing-journeys explains the files, which are YAML or JSON.

        The command fails when a test fails, and with --require-coverage also when a node or an outcome was never visited and the file \
        gives no reason.
        """)

    @Argument(
      help: "Test files, or folders of them (*.yaml, *.yml, *.json).",
      completion: .file(extensions: ["yaml", "yml", "json"]))
    var files: [String]

    @Option(help: "The folder of journeys, for test files that name none.", completion: .directory)
    var journeys: String?

    @Option(help: "Play only tests whose names contain this.")
    var filter: String?

    @Flag(help: "Fail when a node or an outcome is not covered, unless the file gives a reason.")
    var requireCoverage = false

    @Option(help: "Write the results to this file in the form of JUnit, for CI.", completion: .file())
    var junit: String?

    @Flag(help: "Name tests that passed, too, and the reasons for what is left out.")
    var verbose = false

    @OptionGroup(title: "Services of others") var simulation: SimulationOptions

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let simulation = try simulation.simulation()
      for line in try self.simulation.remarks() { Output.remark(line) }
      let tests = JourneyTests(journeys: journeys.map { URL(filePath: $0) }, filter: filter) {
        $0.simulation = simulation
        $0.playScripts()
      }
      let report = try await tests.run(try files.flatMap(Self.files))
      if let junit {
        do { try Data(report.junit.utf8).write(to: URL(filePath: junit), options: .atomic) } catch {
          throw CommandFailure("\(junit) cannot be written: \(error.localizedDescription)")
        }
      }
      output.result(report.text(isVerbose: verbose), report.json)
      guard report.isSuccess else { throw CommandFailure("Not all tests passed.") }
      guard !requireCoverage || filter != nil || report.isCovered else {
        throw CommandFailure(
          "Not everything is covered. Add tests, or give the reason under `uncovered` in a test file.")
      }
    }

    /// The files in a folder, or the file itself.
    private static func files(_ path: String) throws -> [URL] {
      let url = URL(filePath: path)
      guard FileManager.default.fileExists(atPath: url.path) else {
        throw CommandFailure.notFound("There is no file or folder \(printable(path)).")
      }
      guard JourneyFolder.isDirectory(url) else { return [url] }
      let names = try FileManager.default.contentsOfDirectory(atPath: url.path)
        .filter { name in ["yaml", "yml", "json"].contains { name.hasSuffix(".\($0)") } }
        .filter { !$0.hasSuffix(".journey.json") }.sorted()
      guard !names.isEmpty else {
        throw CommandFailure.notFound("\(printable(path)) has no test files (*.yaml, *.yml, *.json).")
      }
      return names.map { URL(filePath: "\(path)/\($0)") }
    }
  }
}
