import ArgumentParser
import Foundation
import PingOath
import StrictJSON

extension OathCommand {
  /// `sealring oath list`: the accounts that this device makes codes for.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the accounts that this device makes codes for.")

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
      let credentials = try await OathClients.with { try await $0.getCredentials() }
      if json {
        Output.json(.array(credentials.map(\.record)))
      } else if credentials.isEmpty {
        Output.remark("This device makes no one-time codes yet. Enrol it with `sealring oath add`.")
      } else {
        Output.table(
          head: ["CREDENTIAL", "ISSUER", "ACCOUNT", "CODES", "ENROLLED", "STATE"],
          rows: credentials.map {
            [
              $0.id, printable($0.displayIssuer), printable($0.displayAccountName), $0.summary,
              Times.text($0.createdAt), $0.state,
            ]
          })
      }
    }
  }

  /// `sealring oath delete ID`.
  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a credential from this device.",
      discussion:
        "The server is not told: delete its record with `sealring devices delete --kind oath`, or it goes on asking for codes that nobody can make."
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
        throw CommandFailure(
          "There is no credential \(printable(credential)) on this device. `sealring oath list` shows what there is.",
          code: .notFound)
      }
      result.done(
        "Deleted credential \(printable(credential)) from this device. The server still has its record: `sealring devices delete --kind oath`.",
        ["credential": .string(credential), "deleted": true])
    }
  }
}
