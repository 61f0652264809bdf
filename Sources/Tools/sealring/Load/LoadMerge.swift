import ArgumentParser
import Foundation
import LoadTesting

extension LoadCommand {
  struct Merge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make one report of several processes or machines that loaded a server at the same time.",
      discussion: """
        Histograms are added, so that percentiles are those of all runs, not means of percentiles. Begin the loads at the same time with \
        --start-at; the machines' clocks have to agree.
        """)

    @Argument(help: "Files that --out has written.", completion: .file())
    var files: [String]

    @OptionGroup var output: LoadResultOptions

    func validate() throws { try (1...1000).require(files.count, for: "The number of files") }

    func run() async throws {
      let targets = try output.files()
      var reports: [LoadReport] = []
      for path in files {
        let bytes = try GivenFile.bytes(path, limit: LoadReport.maximumFileBytes)
        do { reports.append(try LoadReport(file: bytes)) } catch {
          throw CommandFailure.damaged("\(printable(path)): \(printable(sentence("\(error)")))")
        }
      }
      let report: LoadReport
      do { report = try LoadReport.merged(reports) } catch {
        throw CommandFailure.invalid(printable("\(error)"))
      }
      try output.write(report, to: targets)
      try output.check(report)
    }
  }
}
