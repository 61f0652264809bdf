package import ArgumentParser
package import CommandSettings
import Concurrency
package import Foundation
import PrivateFiles
import TerminalText

/// The settings that this command works with.
package enum CurrentSettings {
  struct State {
    var files = SettingsFiles(named: nil, environment: [:])
    var result: Result<Settings, SettingsError> = Result { () throws(SettingsError) in try Settings() }
  }

  private static var state: Locked<State> { CommandProcess.current.settings }

  /// Everything that can be set.
  package static let definitions = SettingDefinition.client + SettingDefinition.serve

  /// Reads files and environment, as the options that all commands have say.
  package static func load(_ options: GlobalOptions) {
    let environment = Environment.variables
    let files = SettingsFiles(named: options.config, environment: environment)
    let result = Result { () throws(SettingsError) in
      try Settings(
        definitions: definitions, files: try files.load(definitions), environment: environment,
        profile: options.profile)
    }
    state.withLock { $0 = State(files: files, result: result) }
    Times.isUTC = options.utc || (try? result.get())?.isOn("utc") == true
  }

  /// - Throws: What is wrong with them.
  package static func settings() throws -> Settings {
    do { return try state.withLock({ $0.result }).get() } catch {
      throw CommandFailure(error)
    }
  }

  package static var files: SettingsFiles { state.withLock { $0.files } }

  /// A value, for the default of an option; the built-in one when the settings cannot be used, which ``settings()`` reports.
  package static func text(_ name: String) -> String {
    switch state.withLock({ $0.result }) {
    case .success(let settings): settings.text(name)
    case .failure: definitions.first { $0.name == name }?.standard ?? ""
    }
  }

  /// A value, when somebody has set it.
  package static func given(_ name: String) -> Settings.Value? {
    (try? state.withLock { $0.result }.get()).flatMap { $0[name] }.flatMap {
      $0.source == .builtIn ? nil : $0
    }
  }

  package static func givenText(_ name: String) -> String? { given(name)?.text }

  /// The user of the settings; `nil` when they name none.
  package static var user: String? { text("user").isEmpty ? nil : text("user") }

  /// For commands that require a user: `username` is the option, whose default is the user of the settings.
  package static func require(username: String) throws {
    guard username.isEmpty else { return }
    throw ValidationError(
      "Who you are is missing. Add --username NAME, or set it for good: sealring config set user NAME.")
  }

  /// The data folder of the server on this machine, where no option names one.
  package static var serverFolder: URL {
    given("serve.data").map { URL(filePath: $0.text) }
      ?? ClientHome.standard.directory.appending(path: "server")
  }
}

/// The options that every command takes, wherever they stand.
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

  /// Takes the options out of a command line.
  ///
  /// - Throws: `ValidationError` for one without its value.
  package static func take(from arguments: inout [String]) throws -> GlobalOptions {
    var options = GlobalOptions()
    (options.profile, options.config, options.utc) = (nil, nil, false)
    var rest: [String] = []
    var remaining = arguments[...]
    func value(of name: String) throws -> String {
      guard let value = remaining.popFirst(), !value.isEmpty, !value.hasPrefix("-") else {
        throw ValidationError("\(name) needs a value.")
      }
      return value
    }
    while let argument = remaining.popFirst() {
      switch argument {
      case "--":
        rest += [argument] + remaining
        remaining = []
      case "--utc": options.utc = true
      case "--profile": options.profile = try value(of: argument)
      case "--config": options.config = try value(of: argument)
      case _ where argument.hasPrefix("--profile="):
        options.profile = String(argument.dropFirst("--profile=".count))
      case _ where argument.hasPrefix("--config="):
        options.config = String(argument.dropFirst("--config=".count))
      default: rest.append(argument)
      }
    }
    arguments = rest
    return options
  }
}
