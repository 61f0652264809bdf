import ArgumentParser
import PingOath
import StrictJSON

struct OathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "oath",
    abstract: "Make one-time codes (TOTP and HOTP).",
    discussion: """
      `sealring oath add` takes the QR code or the address that a service shows, `sealring oath code` makes the codes. \
      `sealring journey run` gives them without asking to the server that enrolled this device.
      """,
    subcommands: [Add.self, List.self, Code.self, Delete.self], defaultSubcommand: List.self)
}

extension OathCommand {
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the accounts that this device makes codes for.")

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let credentials = try await OathClients.with { try await $0.getCredentials() }
      output.list(
        credentials, OathCredential.columns,
        none: "This device makes no one-time codes yet. Enrol it with `sealring oath add`.")
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a credential from this device.",
      discussion:
        "The server is not told: delete its record with `sealring devices delete --kind oath`, or it goes on asking for codes that "
        + "nobody can make."
    )

    @Argument(help: "The credential's id, as `sealring oath list` shows it.")
    var credential: String

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      if let known = try await OathClients.with({ try await $0.getCredentials() }).first(where: {
        $0.id == credential
      }) {
        try await confirmation.ask(
          "Delete the credential for one-time codes of \(printable(known.displayName)) from this device?\nThe server keeps its record."
        )
      }
      guard try await OathClients.with({ try await $0.deleteCredential(credential) }) else {
        throw CommandFailure.missing("credential \(printable(credential))", command: "sealring oath list")
      }
      result.done(
        "Deleted credential \(printable(credential)) from this device. The server still has its record: `sealring devices delete "
          + "--kind oath`.",
        ["credential": .string(credential), "deleted": true])
    }
  }
}
