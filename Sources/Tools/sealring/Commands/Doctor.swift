import ArgumentParser
import Foundation
import StrictJSON

/// `sealring doctor`: looks for what is wrong, and says what to do.
struct Doctor: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Check this device, or with --data a server's folder, and say what to do about what is wrong.",
    discussion: "Exit code 1 when a check fails. Nothing is changed; a warning is not a failure.")

  @OptionGroup var server: ServerOptions
  @OptionGroup var chip: ChipOptions

  @Option(help: "Check a server: its data folder. The server may run meanwhile.")
  var data: String?

  @Option(help: "The server's folder of journeys. Default: serve.journeys of the settings.")
  var journeys: String?

  @Option(
    help: "The server's certificate. Default: serve.tls-certificate of the settings.", completion: .file())
  var tlsCertificate: String?

  @Option(help: "Its private key. Default: serve.tls-key of the settings.", completion: .file())
  var tlsKey: String?

  @Flag(help: "Print the checks as JSON.")
  var json = false

  func run() async throws {
    let checks: [HealthCheck]
    if let data {
      checks = await ServerChecks(
        data: URL(filePath: data), journeys: journeys ?? CurrentSettings.givenText("serve.journeys"),
        certificate: tlsCertificate ?? CurrentSettings.givenText("serve.tls-certificate"),
        key: tlsKey ?? CurrentSettings.givenText("serve.tls-key")
      ).all()
    } else {
      checks = await DeviceChecks(server: server, chip: chip).all()
    }
    if json {
      Output.json(.array(checks.map(\.json)))
    } else {
      for check in checks {
        Output.line("\(check.state.mark)  \(check.name): \(printable(check.finding))")
        if let advice = check.advice { Output.line("      \(printable(advice))") }
      }
    }
    let failed = checks.count { $0.state == .failed }
    guard failed > 0 else { return }
    if !json { Output.remark("\(failed) of \(checks.count) checks failed.") }
    throw ExitCode.failure
  }
}

/// What one check found.
struct HealthCheck {
  enum State: String {
    case ok, warning, failed
    /// There is nothing of the kind here, which is not a fault.
    case absent

    var mark: String {
      switch self {
      case .ok: "ok  "
      case .warning: "WARN"
      case .failed: "FAIL"
      case .absent: "-   "
      }
    }
  }

  /// For programs.
  let id: String
  let name: String
  let state: State
  let finding: String
  /// What to do; with a failure always.
  let advice: String?

  init(_ id: String, _ name: String, _ state: State, _ finding: String, advice: String? = nil) {
    (self.id, self.name, self.state, self.finding, self.advice) = (id, name, state, finding, advice)
  }

  var json: JSONValue {
    [
      "check": .string(id), "state": .string(state.rawValue), "finding": .string(finding),
      "advice": advice.map { .string($0) } ?? .null,
    ]
  }
}
