import ArgumentParser
import LoadTesting
import StrictJSON

/// Where a report goes.
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

  /// - Throws: ``CommandFailure`` when the report does not keep to what was asked of it.
  func check(_ report: LoadReport) throws {
    let limits = LoadLimits(p99: maxP99?.duration, failed: maxFailed.map { $0 / 100 })
    let broken = limits.broken(by: report)
    guard broken.isEmpty else { throw CommandFailure(broken.joined(separator: " ")) }
  }

  /// The files, known to be writable before anything is measured for them.
  struct Files {
    let out: AtomicFile?
    let html: AtomicFile?
  }

  func files() throws -> Files {
    Files(
      out: try out.map { try AtomicFile(path: $0, replaces: force) },
      html: try html.map { try AtomicFile(path: $0, replaces: force) })
  }

  func write(_ report: LoadReport, to files: Files) throws {
    if let file = files.out {
      try file.write(report.file.serialized)
      try file.commit()
    }
    if let file = files.html {
      try file.write(Array(report.html.utf8))
      try file.commit()
    }
    Output.result(
      report.text,
      report.json, isJSON: result.json)
  }
}
