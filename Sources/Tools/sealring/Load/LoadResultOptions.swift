import ArgumentParser
import LoadTesting
import StrictJSON

/// The destinations of a report.
struct LoadResultOptions: ParsableArguments {
  @Option(help: "Write the raw histograms to this file, for `sealring load merge`.", completion: .file())
  var out: String?

  @Option(
    help: "Write a page with plots of rate and latency to this file.",
    completion: .file(extensions: ["html"]))
  var html: String?

  @Flag(help: "Replace the files of --out and --html if they exist.")
  var force = false

  @Option(help: "Fail when the p99 of whole runs is longer.")
  var maxP99: LoadSpan?

  @Option(help: "Fail when more of the runs fail, in percent.")
  var maxFailed: Double?

  @OptionGroup var result: ResultOptions

  func validate() throws {
    if let maxFailed, !(0...100).contains(maxFailed) {
      throw ValidationError("--max-failed is a number of percent from 0 to 100.")
    }
  }

  /// - Throws: ``CommandFailure`` when the report exceeds the given limits.
  func check(_ report: LoadReport) throws {
    let limits = LoadLimits(p99: maxP99?.duration, failed: maxFailed.map { $0 / 100 })
    let broken = limits.broken(by: report)
    guard broken.isEmpty else { throw CommandFailure(broken.joined(separator: " ")) }
  }

  /// The files to write, each with its content.
  typealias Files = [(file: AtomicFile, content: (LoadReport) -> [UInt8])]

  /// Opens the requested files, so that unwritable ones are found before the measurement.
  func files() throws -> Files {
    let places: [(String?, (LoadReport) -> [UInt8])] = [
      (out, \.file.serialized), (html, { Array($0.html.utf8) }),
    ]
    return try places.compactMap { path, content in
      try path.map { (try AtomicFile(path: $0, replaces: force), content) }
    }
  }

  func write(_ report: LoadReport, to files: Files) throws {
    for (file, content) in files { try file.finish(content(report)) }
    result.result(report.text, report.json)
  }
}
