import ArgumentParser
import PingOath

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

    @OptionGroup var deletion: CredentialDeletion

    func run() async throws {
      let known = try await OathClients.with { try await $0.getCredentials() }
        .first { $0.id == deletion.credential }
      let question = known.map {
        "Delete the credential for one-time codes of \(printable($0.displayName)) from this device?\nThe server keeps its record."
      }
      try await deletion.run(kind: "oath", list: "sealring oath list", asking: question) { id in
        try await OathClients.with { try await $0.deleteCredential(id) }
      }
    }
  }
}
