import ArgumentParser
import Foundation

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
    subcommands: [
      Serve.self, Demo.self, Bind.self, Sign.self, Keys.self, Unbind.self, Passkey.self, PushCommand.self,
      OathCommand.self, Devices.self,
      User.self,
      App.self, JourneyCommand.self, AttestationCommand.self, Audit.self, Events.self,
    ])
}
