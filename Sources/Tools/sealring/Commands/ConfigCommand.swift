import ArgumentParser
import CommandSettings
import Foundation
import StrictJSON

struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Show and change the settings of all commands and of the server.",
    discussion: """
      Sources in order of increasing precedence: built-in values, /etc/sealring/config.toml, your own file (`sealring config path`), the \
      profile in use, the environment, options. The server's settings are the options of `sealring serve`, as serve.NAME. \
      docs/settings.md has the table.
      """,
    subcommands: [Path.self, Show.self, Set.self, Unset.self], defaultSubcommand: Show.self)

  struct Path: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Print the path of your settings file, whether or not it exists.")

    @OptionGroup var output: ResultOptions

    func run() {
      let file = CurrentSettings.files.user.path(percentEncoded: false)
      output.result(
        file, ["path": .string(file), "exists": .bool(FileManager.default.fileExists(atPath: file))])
    }
  }

  struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the effective settings, and where each comes from.",
      discussion: "Secrets are not shown, only where they come from.")

    @Argument(help: "Show only this setting; only its value is printed.")
    var name: String?

    @Flag(help: "Include built-in values that nobody has set.")
    var all = false

    @OptionGroup var output: ResultOptions

    func run() throws {
      let settings = try CurrentSettings.settings()
      if let name { return try showValue(name, settings) }
      var rows = settings.definitions.map { (definition: $0, value: settings[$0.name]) }.filter { row in
        all || row.value.map { $0.source != .builtIn || !row.definition.name.hasPrefix("serve.") } == true
      }
      if Environment.administratorPassword != nil {
        rows.append(
          (
            SettingDefinition(
              "admin-password", help: "The administrator's password; only in the environment."),
            Settings.Value(texts: ["********"], source: .environment("SEALRING_ADMIN_PASSWORD"))
          ))
      }
      output.list(
        rows,
        [
          Column("SETTING") { $0.definition.name },
          Column("VALUE", none: "-") { $0.value?.texts.joined(separator: ", ") },
          Column("FROM", none: "not set") { $0.value?.source.text },
        ]
      ) { .object(Self.record($0.definition, $0.value)) }
    }

    private static func record(_ definition: SettingDefinition, _ value: Settings.Value?) -> JSONObject {
      var object = value?.source.json ?? ["from": .null]
      object["name"] = .string(definition.name)
      object["value"] = value.map { .string($0.texts.joined(separator: ", ")) } ?? .null
      object["kind"] = .string(definition.kind.rawValue)
      object["default"] = definition.standard.map { .string($0) } ?? .null
      object["about"] = .string(definition.help)
      return object
    }

    private func showValue(_ name: String, _ settings: Settings) throws {
      guard let definition = settings.definitions.first(where: { $0.name == name }) else {
        throw CommandFailure.notFound(
          "There is no setting '\(printable(name))'. 'sealring config show --all' lists them.")
      }
      guard let value = settings[name] else {
        throw CommandFailure.notFound("The setting '\(name)' is not set.")
      }
      guard output.json else { return value.texts.forEach { Output.line(printable($0)) } }
      Output.json(.object(Self.record(definition, value)))
    }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Set a value in your settings file; comments and order are kept.",
      discussion:
        "For example: sealring config set server https://id.bank.example/am; sealring config set serve.port 9000"
    )

    @Argument(help: "The setting, such as server, serve.port or profiles.bank.user.")
    var name: String

    @Argument(help: "The value; give several for a list.")
    var values: [String]

    @OptionGroup var result: ResultOptions

    func run() throws {
      try CurrentSettings.change { (file) throws(SettingsError) in
        try file.set(name, to: values, CurrentSettings.definitions)
      }
      let path = CurrentSettings.files.user.path(percentEncoded: false)
      result.done(
        "Set \(name) in \(path).",
        ["name": .string(name), "value": .string(values.joined(separator: ", ")), "file": .string(path)])
    }
  }

  struct Unset: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Remove a value from your settings file.")

    @Argument(help: "The setting.")
    var name: String

    @OptionGroup var result: ResultOptions

    func run() throws {
      var wasThere = false
      try CurrentSettings.change { (file) throws(SettingsError) in
        wasThere = try file.unset(name, CurrentSettings.definitions)
      }
      guard wasThere else {
        throw CommandFailure.notFound("Your file does not set '\(printable(name))'.")
      }
      let path = CurrentSettings.files.user.path(percentEncoded: false)
      result.done(
        "Removed \(name) from \(path).", ["name": .string(name), "value": .null, "file": .string(path)])
    }
  }
}

extension CurrentSettings {
  /// Changes the user's settings file.
  static func change(_ change: (inout SettingsFile) throws(SettingsError) -> Void) throws {
    do throws(SettingsError) { try files.change(definitions, change) } catch {
      throw CommandFailure(error)
    }
  }
}

extension Settings.Source {
  fileprivate var json: JSONObject {
    switch self {
    case .builtIn: ["from": "builtIn"]
    case .file(let path, let line): ["from": "file", "file": .string(path), "line": .integer(Int64(line))]
    case .profile(let name, let file, let line):
      ["from": "profile", "profile": .string(name), "file": .string(file), "line": .integer(Int64(line))]
    case .environment(let variable): ["from": "environment", "variable": .string(variable)]
    case .option(let name): ["from": "option", "option": .string(name)]
    }
  }
}
