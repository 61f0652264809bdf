import ArgumentParser
import Assembly
import Foundation
import StrictJSON

struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Check this device, or with --data or --database a server's data, and say how to fix what is wrong.",
    discussion: "Exit code 1 when a check fails. Nothing is changed; a warning is not a failure.")

  @OptionGroup var server: ServerOptions
  @OptionGroup var chip: ChipOptions

  @Option(help: "Check a server: its data folder. The server may be running.")
  var data: String?

  @Option(help: "Check a server: its PostgreSQL. The servers may be running.")
  var database: String?

  @Option(help: "The server's folder of journeys. Default: serve.journeys of the settings.")
  var journeys: String?

  @Option(
    help: "The server's certificate. Default: serve.tls-certificate of the settings.", completion: .file())
  var tlsCertificate: String?

  @Option(help: "Its private key. Default: serve.tls-key of the settings.", completion: .file())
  var tlsKey: String?

  @OptionGroup var output: ResultOptions

  func validate() throws { _ = try ServerPlace(data: data, database: database) }

  func run() async throws {
    var checks: [HealthCheck]
    if data != nil || database != nil {
      let place = try ServerPlace(data: data, database: database)
      checks = await ServerChecks(
        place: place.address.map { .postgres($0, place.directory) } ?? .directory(place.directory),
        journeys: journeys ?? CurrentSettings.givenText("serve.journeys"),
        certificate: tlsCertificate ?? CurrentSettings.givenText("serve.tls-certificate"),
        key: tlsKey ?? CurrentSettings.givenText("serve.tls-key")
      ).ofCommand()
      // Invalid settings are reported by the device's checks.
      if let reach = try? Serve.reach(CurrentSettings.settings()) {
        checks += ServerChecks.factorChanges(reach)
      }
    } else {
      checks = await DeviceChecks(server: server, chip: chip).all()
    }
    if output.json {
      Output.json(.array(checks.map(\.json)))
    } else {
      for check in checks {
        Output.line("\(check.state.mark)  \(check.subject.name.english): \(printable(check.finding.english))")
        if let advice = check.advice { Output.line("      \(printable(advice.english))") }
      }
    }
    let failed = checks.count { $0.state == .failed }
    guard failed > 0 else { return }
    if !output.json { Output.remark("\(failed) of \(checks.count) checks failed.") }
    throw ExitCode.failure
  }
}

extension HealthCheck.State {
  fileprivate var mark: String {
    switch self {
    case .ok: "ok  "
    case .warning: "WARN"
    case .failed: "FAIL"
    case .absent: "-   "
    }
  }
}
