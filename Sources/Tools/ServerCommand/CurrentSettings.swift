package import ArgumentParser
package import CommandSettings
import Concurrency
package import Foundation
import PrivateFiles
import TerminalText

/// The settings of the current command.
package enum CurrentSettings {
  struct State {
    var files = SettingsFiles(named: nil, environment: [:])
    var result: Result<Settings, SettingsError> = Result { () throws(SettingsError) in try Settings() }
  }

  private static var state: Locked<State> { CommandProcess.current.settings }

  /// All settings that exist.
  package static let definitions = SettingDefinition.client + SettingDefinition.serve

  /// Loads files and environment, as the global options say.
  package static func load(_ options: GlobalOptions, for arguments: [String]) {
    let environment = Environment.variables
    let files = SettingsFiles(named: options.config, environment: environment)
    func read(_ definitions: [SettingDefinition]) -> Result<Settings, SettingsError> {
      Result { () throws(SettingsError) in
        try Settings(
          definitions: definitions, files: try files.load(definitions), environment: environment,
          profile: options.profile)
      }
    }
    // Listing the options of `serve` takes as long as many commands run.
    let needsAll =
      arguments.contains("serve") || arguments.contains("config")
      || environment.keys.contains { $0.hasPrefix("SEALRING_SERVE_") }
    let first = read(needsAll ? definitions : SettingDefinition.client)
    // A file may contain options of `serve`, too.
    let result = if !needsAll, case .failure = first { read(definitions) } else { first }
    state.withLock { $0 = State(files: files, result: result) }
    Times.isUTC = options.utc || (try? result.get())?.isOn("utc") == true
  }

  /// - Throws: `CommandFailure` for invalid settings.
  package static func settings() throws -> Settings {
    do { return try state.withLock({ $0.result }).get() } catch {
      throw CommandFailure(error)
    }
  }

  package static var files: SettingsFiles { state.withLock { $0.files } }

  /// The value as the default of an option; the built-in value when the settings are invalid, which ``settings()`` reports.
  package static func text(_ name: String) -> String {
    switch state.withLock({ $0.result }) {
    case .success(let settings): settings.text(name)
    case .failure: definitions.first { $0.name == name }?.standard ?? ""
    }
  }

  /// The value, if it was set by anybody.
  package static func given(_ name: String) -> Settings.Value? {
    (try? state.withLock { $0.result }.get()).flatMap { $0[name] }.flatMap {
      $0.source == .builtIn ? nil : $0
    }
  }

  package static func givenText(_ name: String) -> String? { given(name)?.text }

  /// The user in the settings; `nil` when there is none.
  package static var user: String? { text("user").isEmpty ? nil : text("user") }

  /// Checks that a command has a user. `username` is the option, whose default is the user in the settings.
  package static func require(username: String) throws {
    guard username.isEmpty else { return }
    throw ValidationError(
      "Who you are is missing. Add --username NAME, or set it for good: sealring config set user NAME.")
  }

  /// The data folder of the server on this machine, when no option names one.
  package static var serverFolder: URL {
    given("serve.data").map { URL(filePath: $0.text) }
      ?? ClientHome.standard.directory.appending(path: "server")
  }
}

/// The options of every command, at any position.
package struct GlobalOptions: ParsableArguments {
  @Option(help: "The profile to use. Default: $SEALRING_PROFILE, else that of `sealring profile use`.")
  package var profile: String?

  @Option(
    help: ArgumentHelp(
      "The settings file. Default: $SEALRING_CONFIG, else ~/.config/sealring/config.toml and /etc/sealring/config.toml.",
      valueName: "file"), completion: .file(extensions: ["toml"]))
  package var config: String?

  @Flag(help: "Show times in UTC rather than in the local time zone.")
  package var utc = false

  package init() {}

  /// Removes the option `name` from a command line. Returns its value, the last one if it is repeated, and the other words.
  ///
  /// - Throws: `ValidationError` for an option without its value.
  package static func taking(
    _ name: String, from arguments: [String]
  ) throws -> (value: String?, rest: [String]) {
    let own = arguments.prefix { $0 != "--" }
    var (found, rest, remaining): (String?, [String], ArraySlice<String>) = (nil, [], own[...])
    while let argument = remaining.popFirst() {
      if argument == name {
        found = try value(of: name, remaining.popFirst())
      } else if argument.hasPrefix(name + "=") {
        found = try value(of: name, String(argument.dropFirst(name.count + 1)))
      } else {
        rest.append(argument)
      }
    }
    return (found, rest + arguments.dropFirst(own.count))
  }

  private static func value(of name: String, _ value: String?) throws -> String {
    guard let value, !value.isEmpty, !value.hasPrefix("-") else {
      throw ValidationError("\(name) needs a value.")
    }
    return value
  }

  /// Removes the global options from a command line.
  ///
  /// - Throws: `ValidationError` for an option without its value.
  package static func take(from arguments: inout [String]) throws -> GlobalOptions {
    var options = GlobalOptions()
    var rest: [String]
    (options.profile, rest) = try taking("--profile", from: arguments)
    (options.config, rest) = try taking("--config", from: rest)
    let own = rest.prefix { $0 != "--" }
    options.utc = own.contains("--utc")
    rest = own.filter { $0 != "--utc" } + rest.dropFirst(own.count)
    arguments = rest
    return options
  }
}
