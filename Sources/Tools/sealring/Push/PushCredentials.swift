import ArgumentParser
import PingPush

extension PushCommand {
  struct Credentials: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List or delete this device's push credentials.", subcommands: [List.self, Delete.self],
      defaultSubcommand: List.self)

    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "List the servers and accounts that this device answers for.")

      @OptionGroup var output: ResultOptions
      @OptionGroup var options: PushOptions

      func run() async throws {
        let credentials = try await options.withClient { try await $0.getCredentials() }
        output.list(
          credentials, PushCredential.columns,
          none: "This device is not enrolled anywhere yet. Enrol it with `sealring push enroll`.")
      }
    }

    struct Delete: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Delete a credential and its requests from this device.",
        discussion:
          "The server is not told: delete its record with `sealring devices delete --kind push`, or it goes on asking a device that "
          + "does not answer."
      )

      @OptionGroup var deletion: CredentialDeletion
      @OptionGroup var options: PushOptions

      func run() async throws {
        let question =
          "Delete credential \(printable(deletion.credential)) and its requests from this device?"
        try await deletion.run(kind: "push", list: "sealring push credentials", asking: question) { id in
          try await options.withClient { try await $0.deleteCredential(credentialId: id) }
        }
      }
    }
  }
}
