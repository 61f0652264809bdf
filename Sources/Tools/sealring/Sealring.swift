import ArgumentParser
import Foundation
import PingBinding
import ProductVersion
import StrictJSON

/// The command line: the server, the device's side of binding and signing, and the administration of both.
@main
struct Sealring: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sealring",
    abstract: "Prove which device and which person stand behind a sign-in or a payment.",
    discussion: """
      Start with `sealring demo`. Secrets are asked for without echo, or read from standard input with \
      --password-stdin and --pin-stdin (password on the first line, PIN on the next); never from an argument.
      """,
    version: "sealring \(ProductVersion.text)",
    subcommands: [
      Serve.self, Demo.self, Bind.self, Sign.self, Keys.self, Unbind.self, Passkey.self, PushCommand.self,
      Devices.self,
      User.self,
      App.self, JourneyCommand.self, AttestationCommand.self, Audit.self, Events.self,
    ])

  static func main() async {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let failures = FailureReport(isJSON: arguments.contains("--json"))
    if let unknown = CommandNames(Sealring.self).firstUnknown(in: arguments) { failures.end(unknown) }
    do {
      var command = try parseAsRoot(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      await OpenSessions.ofThisCommand.end()
    } catch {
      await OpenSessions.ofThisCommand.end()
      // What is still being typed as a secret must not end up in the shell.
      await Terminal.controlling.discardUnfinishedLine()
      failures.end(error)
    }
  }
}

/// How a command ends that fails: as text, or with `--json` as one object on standard error. Exit codes are 1, and 64 for a wrong command line.
struct FailureReport {
  let isJSON: Bool

  func end(_ error: any Error) -> Never {
    let error = PlainReason.failure(error)
    guard isJSON else { Sealring.exit(withError: error) }
    let code = Sealring.exitCode(for: error)
    // Help and version are no failures.
    guard code != .success else { Sealring.exit(withError: error) }
    if let failure = error as? CommandFailure {
      Output.remark(failure.json.lineText)
    } else if !(error is ExitCode) {
      let failure = CommandFailure(
        Sealring.message(for: error), code: code == .validationFailure ? .usage : .failed)
      Output.remark(failure.json.lineText)
    }
    Sealring.exit(withError: code)
  }
}
