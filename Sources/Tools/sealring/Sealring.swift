import ArgumentParser
import CommandSettings
import Foundation
import JourneyScripts
import PingNetwork
import PrivateFiles
import ProductVersion
import StrictJSON
import TerminalPrompts

/// The command line: the server, the device's side of binding and signing, and the administration of both.
@main
struct Sealring: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sealring",
    abstract: "Prove which device and which person stand behind a sign-in or a payment.",
    discussion: """
      Start with `sealring demo`. Secrets are asked for without echo, or read from standard input with \
      --password-stdin and --pin-stdin (password on the first line, PIN on the next); never from an argument. Give server, realm and user \
      only once: `sealring profile add`.
      """,
    version: "sealring \(ProductVersion.text)",
    subcommands: [
      Serve.self, Demo.self, InitCommand.self, Bind.self, Sign.self, Keys.self, Unbind.self, Passkey.self,
      PushCommand.self,
      OathCommand.self, SSHCommand.self, AgentCommand.self, PAMCommand.self, Devices.self,
      User.self,
      AdminCommand.self, RealmCommand.self, KeyCommand.self, SSHAuthorityCommand.self,
      App.self, OpenIDCommand.self, JourneyCommand.self, ScriptCommand.self, AttestationCommand.self,
      Audit.self, Events.self, LoadCommand.self,
      BackupCommand.self, RestoreCommand.self,
      Status.self, Doctor.self, SessionCommand.self, ConfigCommand.self, ProfileCommand.self,
      HandleURL.self, CompletionCommand.self,
    ])

  @OptionGroup(title: "Options of every command") var everywhere: GlobalOptions

  @OptionGroup(title: "Options of commands that ask a server") var authorities: AuthorityOption

  /// Commands that run despite invalid settings, to report or correct them.
  private static let needNoSettings: Set<String> = [
    "config", "profile", "help", "--help", "-h", "--version", "doctor", "completion",
  ]

  static func main() async {
    ScriptWorkerProgram.runIfAsked()
    ClientHome.useCommandLine()
    ProxySettings.exemptLoopback()
    if CommandLine.arguments.dropFirst().first != "serve" { ProcessMemory.protect() }
    // Input typed after a secret is not echoed, and does not reach the shell after a failure.
    Terminal.controlling.keepsEchoOff = true
    Foundation.exit(await run(Array(CommandLine.arguments.dropFirst())))
  }

  /// Runs the command in `arguments`, and reports its failure. Returns the exit code.
  static func run(_ arguments: [String]) async -> Int32 {
    await OpenSessions.$ofThisCommand.withValue(OpenSessions()) {
      await SessionCookies.$ofThisCommand.withValue(SessionCookies()) {
        do {
          try await perform(arguments)
          return 0
        } catch {
          return FailureReport(isJSON: arguments.contains("--json")).report(error)
        }
      }
    }
  }

  private static func perform(_ arguments: [String]) async throws {
    var arguments = arguments
    let options = try GlobalOptions.take(from: &arguments)
    CurrentSettings.load(options, for: arguments)
    let authorities = try AuthorityOption.take(from: &arguments)
    try await CertificateAuthorities.$ofTask.withValue(authorities) { [arguments] in
      try await perform(withoutGlobalOptions: arguments)
    }
  }

  private static func perform(withoutGlobalOptions arguments: [String]) async throws {
    var arguments = arguments
    if let unknown = CommandNames(Sealring.self).firstUnknown(in: arguments) { throw unknown }
    if let help = CommandNames(Sealring.self).groupHelp(for: arguments) { return Output.line(help) }
    arguments = CommandNames(Sealring.self).separatingIDs(in: arguments)
    do {
      var command = try parse(arguments)
      if var asynchronous = command as? any AsyncParsableCommand {
        try await asynchronous.run()
      } else {
        try command.run()
      }
      await OpenSessions.ofThisCommand.end()
    } catch {
      await OpenSessions.ofThisCommand.end()
      // A secret that is still being typed must not reach the shell.
      await Terminal.controlling.discardUnfinishedLine()
      throw CommandNames(Sealring.self).wrongUsage(error, in: arguments) ?? error
    }
  }
}

extension Sealring {
  /// Parses the command; options default to the settings.
  private static func parse(_ arguments: [String]) throws -> any ParsableCommand {
    guard let first = arguments.first,
      needNoSettings.isDisjoint(with: arguments.prefix(1) + arguments.filter { $0.hasPrefix("-") })
    else { return try parseAsRoot(arguments) }
    do { return try parseWithSettings(arguments, first) } catch {
      // Requests for help also arrive as errors.
      guard exitCode(for: error) == .validationFailure else { throw error }
      throw CommandNames(Sealring.self).unknownOption(in: arguments) ?? error
    }
  }

  private static func parseWithSettings(_ arguments: [String], _ first: String) throws -> any ParsableCommand
  {
    let settings = try CurrentSettings.settings()
    guard first == "serve" else { return try parseAsRoot(arguments) }
    let further = ServeSettings.arguments(for: arguments, settings)
    do { return try parseAsRoot(arguments + further) } catch {
      if !further.isEmpty { Output.remark(ServeSettings.origin(of: further, settings)) }
      throw error
    }
  }
}

/// Reports the failure of a command: as text, or with `--json` as one object on standard error. Exit codes are 1, and 64 for a wrong
/// command line.
struct FailureReport {
  let isJSON: Bool

  /// Reports the failure, and returns the exit code.
  func report(_ error: any Error) -> Int32 {
    if let unknown = error as? WrongUsage {
      Output.remark(isJSON ? CommandFailure.usage(unknown.message).json.lineText : unknown.fullMessage)
      return ExitCode.validationFailure.rawValue
    }
    let error = Self.known(error)
    let code = Sealring.exitCode(for: error)
    // Help and version are not failures.
    let isAnswer = code == .success
    if isAnswer || !isJSON {
      let message = Sealring.fullMessage(for: error)
      if !message.isEmpty { isAnswer ? Output.line(message) : Output.remark(message) }
    } else if let failure = error as? CommandFailure {
      Output.remark(failure.json.lineText)
    } else if !(error is ExitCode) {
      let failure = CommandFailure(
        Sealring.message(for: error), code: code == .validationFailure ? .usage : .failed)
      Output.remark(failure.json.lineText)
    }
    return code.rawValue
  }
}
