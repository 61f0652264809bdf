import ArgumentParser
import PingPush
import StrictJSON

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

      @Argument(help: "The credential's id, as `sealring push credentials` shows it.")
      var credential: String

      @OptionGroup var options: PushOptions

      @OptionGroup var confirmation: Confirmation
      @OptionGroup var result: ResultOptions

      func run() async throws {
        try await confirmation.ask(
          "Delete credential \(printable(credential)) and its requests from this device?")
        guard try await options.withClient({ try await $0.deleteCredential(credentialId: credential) }) else {
          throw CommandFailure.missing(
            "credential \(printable(credential))", command: "sealring push credentials")
        }
        result.done(
          "Deleted credential \(printable(credential)) from this device. The server still has its record: `sealring devices delete "
            + "--kind push`.",
          ["credential": .string(credential), "deleted": true])
      }
    }
  }
}
