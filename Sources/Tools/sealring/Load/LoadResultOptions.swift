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

  @OptionGroup var result: ResultOptions

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
    if result.json { Output.json(.object(report.json)) } else { Output.line(report.text) }
  }
}
