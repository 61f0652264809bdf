import ArgumentParser
import BindingFormats
import StrictJSON

struct RealmCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "realm", abstract: "Realms: list, create, delete.",
    discussion: """
      An administrator of the root realm signs in. A new realm is available at once, and within a second or two at other servers on the \
      same database, with the bundled journeys and those of its folder in --journeys.
      """,
    subcommands: [List.self, Create.self, Delete.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the realms.")

    @OptionGroup var administration: User.Administration
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let realms = try await administration.signedIn { try await $0.realms() }
      if output.json { return Output.json(.array(realms)) }
      for realm in realms {
        let path = [realm["parentPath"], realm["name"]].map { $0?.stringValue ?? "" }
        Output.line(printable(RealmPath(path.joined(separator: "/")).name))
      }
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Create a realm.")

    @OptionGroup var administration: User.Administration

    @Argument(
      help:
        "Its name: 1 to 64 letters, digits, hyphens and underscores. PARENT/NAME creates it in another realm."
    )
    var name: String

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let realm = try await administration.signedIn { try await $0.createRealm(RealmPath(name)) }
      if output.json { Output.json(realm) } else { Output.remark("Created realm \(printable(name)).") }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "Delete a realm that is empty, or with --force one with all its accounts, devices and applications.",
      discussion: "Evidence and push decisions stay. Realms of the server's configuration cannot be deleted.")

    @OptionGroup var administration: User.Administration

    @Argument(help: "The realm's name; PARENT/NAME for one in another realm. One with realms in it stays.")
    var name: String

    @Flag(help: "Delete its accounts and applications, too.")
    var force = false

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      try await confirmation.ask(
        force
          ? "Delete realm \(printable(name)) with all its accounts, devices, sessions and applications?"
          : "Delete realm \(printable(name)) if it is empty?")
      try await administration.signedIn { try await $0.deleteRealm(RealmPath(name), isForced: force) }
      result.done("Deleted realm \(printable(name)).", ["realm": .string(name), "deleted": true])
    }
  }
}
