import ArgumentParser
import Bytes
import Foundation
import StrictJSON

struct App: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Register, list or delete applications that request approval of transactions, as the administrator.",
    discussion: """
      An application is a relying party's program, such as a shop's server. It makes transactions over HTTP with the id \
      and the secret that `app add` prints, and reads the verdicts. The administrator's password comes from \
      SEALRING_ADMIN_PASSWORD, else with --password-stdin from standard input, else from a prompt.
      """,
    subcommands: [Add.self, List.self, Delete.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Register an application; its secret is shown only once.")

    @OptionGroup var administration: User.Administration

    @Argument(help: "The application's name.")
    var name: String

    @Flag(
      help: ArgumentHelp(
        "Accept approvals by apps that do not support the claim txn.",
        discussion: """
          Such a signature covers the fields, but does not show that the person saw them: a server that the device trusts can obtain it as \
          an ordinary sign-in. Use it only while apps are being updated.
          """))
    var plainProofs = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let answer = try await administration.adding("application \(printable(name))") {
        try await $0.createApplication(name, takesPlainProofs: plainProofs)
      }
      guard let id = answer["_id"]?.stringValue, let secret = answer["secret"]?.stringValue else {
        throw CommandFailure.unsupported(
          "The server's answer has no id or no secret. Is it a Sealring server?")
      }
      if output.json {
        Output.json([
          "id": .string(id), "name": .string(name), "secret": .string(secret),
          "plainProofs": .bool(answer["plainProofs"]?.boolValue ?? false),
        ])
      } else {
        Output.line("id      \(printable(id))")
        Output.line("secret  \(printable(secret))")
        Output.remark("Save the secret now: the server stores only its hash.")
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the realm's applications.")

    @OptionGroup var administration: User.Administration
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let applications = try await administration.signedIn { try await $0.applications() }
        .map { JSONTimes.converted($0, "createdAt") }
      output.records(
        applications,
        [
          Column("ID", of: "_id"), Column("NAME", of: "name"),
          Column("CREATED", time: { $0["createdAt"]?.stringValue.flatMap { Date(iso8601: $0) } }),
          Column("PLAIN PROOFS") { $0["plainProofs"] == true ? "yes" : "no" },
        ])
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete an application with its transactions; open ones cannot be approved any more.")

    @OptionGroup var administration: User.Administration

    @Argument(help: "The application's id.")
    var id: String

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      try await confirmation.ask("Delete the application \(printable(id)) with its transactions?")
      try await administration.signedIn { try await $0.deleteApplication(id) }
      result.done(
        "Deleted application \(printable(id)) from realm \(administration.server.realm).",
        ["id": .string(id), "realm": .string(administration.server.realm), "deleted": true])
    }
  }
}
