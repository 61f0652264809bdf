import ArgumentParser
import CommandSettings
import Foundation
import PingNetwork
import StrictJSON

struct ProfileCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract:
      "Store a server with its realm, user and application under a name, and choose which one to use.",
    discussion: "Every command takes --profile NAME for one run; SEALRING_PROFILE applies to a whole shell.",
    subcommands: [Add.self, Use.self, List.self, Show.self, Delete.self], defaultSubcommand: List.self)

  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a profile to your file, or change what it holds.",
      discussion: "The first profile is used from then on; --use does the same for a later one.")

    @Argument(help: "The profile's name: letters, digits, - and _.")
    var name: String

    @Option(help: "The server's base address, such as https://id.bank.example/am.")
    var server: String

    @Option(help: "The realm.")
    var realm: String?

    @Option(help: "Your user name there.")
    var username: String?

    @Option(name: .customLong("app-id"), help: "The application id that signed tokens carry as 'iss'.")
    var applicationID: String?

    @Option(
      help: "A PEM file: the server's certificate has to be signed by an authority in it.",
      completion: .file())
    var caFile: String?

    @Flag(help: "Use it from now on.")
    var use = false

    @OptionGroup var result: ResultOptions

    /// The program, whose own `--ca-file` takes the value of this command's.
    @ParentCommand var program: Sealring

    func run() throws {
      guard ServerOptions.isWebAddress(server) else {
        throw ValidationError(
          "--server needs a web address such as https://id.bank.example/am, not '\(server)'.")
      }
      // An absolute path is stored, because commands may start in any folder.
      let caFile = (caFile ?? program.authorities.caFile).map {
        URL(filePath: $0).standardizedFileURL.path(percentEncoded: false)
      }
      if let caFile { _ = try AuthorityOption.authorities(in: caFile) }
      let members = [
        ("server", server), ("realm", realm), ("user", username), ("application", applicationID),
        ("ca-file", caFile),
      ].compactMap { name, value in value.map { (name, $0) } }
      var isInUse = false
      try CurrentSettings.change { (file) throws(SettingsError) in
        try SettingsFile.checkProfile(name: name)
        let isFirst = file.profiles.isEmpty && file.texts("profile") == nil
        for (member, value) in members {
          try file.set("profiles.\(name).\(member)", to: [value], CurrentSettings.definitions)
        }
        if use || isFirst { try file.set("profile", to: [name], CurrentSettings.definitions) }
        isInUse = file.texts("profile") == [name]
      }
      var object: JSONObject = ["profile": .string(name), "inUse": .bool(isInUse)]
      for (member, value) in members { object[member] = .string(value) }
      result.done(
        "Saved profile \(name). "
          + (isInUse ? "It is in use." : "Use it with: sealring profile use \(name)"), object)
      if MissingPath.isLikely(in: server) { Output.remark(MissingPath.advice(for: server)) }
      if (try? PlainHTTP.checkMachine(server, isAllowed: false)) == nil {
        Output.remark(
          "This server is on another machine and not encrypted: commands refuse it without --allow-http.")
      }
    }
  }

  struct Use: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Use a profile from now on.")

    @Argument(help: "The profile's name; none means no profile.")
    var name: String

    @OptionGroup var result: ResultOptions

    func run() throws {
      let known = try CurrentSettings.known()
      guard name == "none" || known.contains(name) else { throw ProfileCommand.unknown(name, known) }
      try CurrentSettings.change { (file) throws(SettingsError) in
        if name == "none" {
          _ = try file.unset("profile", CurrentSettings.definitions)
        } else {
          try file.set("profile", to: [name], CurrentSettings.definitions)
        }
      }
      result.done(
        name == "none" ? "No profile is in use." : "Profile \(name) is in use.",
        ["profile": name == "none" ? .null : .string(name)])
      if let variable = Environment.variables["SEALRING_PROFILE"], !variable.isEmpty,
        variable != name
      {
        Output.remark("In this shell SEALRING_PROFILE=\(printable(variable)) still takes precedence.")
      }
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the profiles; a star marks the one in use.")

    @OptionGroup var output: ResultOptions

    func run() throws {
      let names = try CurrentSettings.known()
      let used = CurrentSettings.profileInUse
      let profiles = try names.map {
        Profile(name: $0, isInUse: $0 == used, settings: try CurrentSettings.profile($0))
      }
      output.list(
        profiles, Profile.columns,
        none: "There are no profiles yet. Make one: sealring profile add NAME --server URL --username NAME")
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show a profile.")

    @Argument(help: "The profile's name. Default: the one in use.")
    var name: String?

    @OptionGroup var output: ResultOptions

    func run() throws {
      let known = try CurrentSettings.known()
      let used = CurrentSettings.profileInUse
      guard let name = name ?? used else {
        throw CommandFailure.notFound("No profile is in use. Name one; 'sealring profile list' shows them.")
      }
      guard known.contains(name) else { throw ProfileCommand.unknown(name, known) }
      let profile = Profile(
        name: name, isInUse: name == used, settings: try CurrentSettings.profile(name))
      guard !output.json else { return Output.json(.object(Profile.columns.record(of: profile))) }
      Output.line("profile      \(name)\(profile.isInUse ? " (in use)" : "")")
      for definition in SettingDefinition.profile {
        guard let value = profile.member(definition.name) else { continue }
        let padding = String(repeating: " ", count: 13 - definition.name.count)
        Output.line(definition.name + padding + printable(value))
      }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a profile from your file; keys and sessions stay.")

    @Argument(help: "The profile's name.")
    var name: String

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      let known = try CurrentSettings.known()
      guard known.contains(name) else { throw ProfileCommand.unknown(name, known) }
      try await confirmation.ask("Delete the profile \(name)?")
      var wasThere = false
      try CurrentSettings.change { (file) throws(SettingsError) in
        wasThere = try file.removeProfile(name)
        if file.texts("profile") == [name] { _ = try file.unset("profile", CurrentSettings.definitions) }
      }
      guard wasThere else {
        throw CommandFailure.forbidden(
          "The profile \(name) is the machine's, not yours: it is in /etc/sealring/config.toml.")
      }
      result.done("Deleted profile \(name).", ["profile": .string(name), "deleted": true])
    }
  }

  fileprivate static func unknown(_ name: String, _ known: [String]) -> CommandFailure {
    CommandFailure.notFound(
      "There is no profile '\(printable(name))'. "
        + (known.isEmpty
          ? "There are none yet: sealring profile add" : "There are \(known.joined(separator: ", "))."))
  }
}

extension CurrentSettings {
  /// The profiles in the files, even if the profile in use is not among them.
  fileprivate static func known() throws -> [String] {
    do throws(SettingsError) {
      return try files.load(definitions).reversed().flatMap(\.profiles).reduce(into: []) {
        if !$0.contains($1) { $0.append($1) }
      }
    } catch { throw CommandFailure(error) }
  }

  /// The profile in use; `nil` when there is none, or the settings are invalid.
  fileprivate static var profileInUse: String? { (try? settings())?.profile?.text }

  /// The settings with the profile in use.
  fileprivate static func profile(_ name: String) throws -> Settings {
    do throws(SettingsError) {
      return try Settings(definitions: definitions, files: try files.load(definitions), profile: name)
    } catch { throw CommandFailure(error) }
  }
}

/// A profile, with the settings that apply when it is in use.
private struct Profile {
  let name: String
  let isInUse: Bool
  let settings: Settings

  /// The value from the profile itself; `nil` when it comes from elsewhere.
  func member(_ member: String) -> String? {
    guard let value = settings[member], case .profile(name, _, _) = value.source else { return nil }
    return value.text
  }

  static var columns: [Column<Profile>] {
    [
      Column("USED") { $0.isInUse ? "*" : "" }, Column("PROFILE", "profile") { $0.name },
      Column(member: "inUse") { .bool($0.isInUse) },
    ]
      + SettingDefinition.profile.map { definition in
        Column(definition.name.uppercased(), definition.name, none: "-") { $0.member(definition.name) }
      }
  }
}
