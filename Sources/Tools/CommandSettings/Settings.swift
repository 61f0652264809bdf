internal import Bytes
internal import TOML

/// The settings of one command. Later sources override earlier ones: the defaults, the machine's file, the user's file, the profile in
/// use, the environment, the options. A profile that `--profile` names overrides the environment; one that a file or the environment
/// names does not.
package struct Settings: Sendable {
  /// The source of a setting.
  package enum Source: Sendable, Hashable {
    case builtIn
    case file(String, line: Int)
    case profile(String, file: String, line: Int)
    case environment(String)
    case option(String)
  }

  /// A value with its source. Flags are `true` or `false`.
  package struct Value: Sendable, Hashable {
    package let texts: [String]
    package let source: Source

    package init(texts: [String], source: Source) {
      self.texts = texts
      self.source = source
    }

    package var text: String { texts.first ?? "" }
  }

  /// The definitions of all settings, in the order of the table.
  package let definitions: [SettingDefinition]
  /// The profile in use, with the source of that choice.
  package let profile: Value?
  /// All profiles, those of the user's file first.
  package let profiles: [String]
  private let values: [String: Value]

  /// - Parameters:
  ///   - files: The machine's file, then the user's, as far as they exist.
  ///   - environment: The variables. Empty ones count as unset.
  ///   - profile: The profile in `--profile`.
  /// - Throws: ``SettingsError`` for a variable of the wrong kind, and for a profile that does not exist.
  package init(
    definitions: [SettingDefinition] = SettingDefinition.client, files: [SettingsFile] = [],
    environment: [String: String] = [:], profile option: String? = nil
  ) throws(SettingsError) {
    self.definitions = definitions
    var values: [String: Value] = [:]
    for definition in definitions {
      if let standard = definition.standard {
        values[definition.name] = Value(texts: [standard], source: .builtIn)
      }
    }
    for file in files {
      for entry in file.document.entries where entry.path.first != "profiles" {
        values[entry.path.joined(separator: ".")] = Value(
          texts: entry.value.texts, source: .file(file.path, line: entry.line))
      }
    }
    var set: [String: Value] = [:]
    for definition in definitions {
      set[definition.name] = try Self.value(of: definition, environment)
    }
    let chosen =
      option.map { Value(texts: [$0], source: .option("--profile")) } ?? set["profile"] ?? values["profile"]
    profiles = files.reversed().flatMap(\.profiles).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    let isOption = option != nil
    if !isOption, let chosen {
      try Self.apply(chosen.text, chosen.source, files, profiles, to: &values)
    }
    values.merge(set) { $1 }
    if isOption, let chosen { try Self.apply(chosen.text, chosen.source, files, profiles, to: &values) }
    values["profile"] = chosen
    self.profile = chosen
    self.values = values
  }

  /// The value of a setting; `nil` when it has none.
  package subscript(_ name: String) -> Value? { values[name] }

  package func text(_ name: String) -> String { values[name]?.text ?? "" }

  package func isOn(_ name: String) -> Bool { values[name]?.text == "true" }

  private static func value(
    of definition: SettingDefinition, _ environment: [String: String]
  ) throws(SettingsError) -> Value? {
    guard let text = environment[definition.variable], !text.isEmpty else { return nil }
    let source = Source.environment(definition.variable)
    switch definition.kind {
    case .text: return Value(texts: [text], source: source)
    case .list:
      return Value(texts: text.split(whereSeparator: \.isNewline).map(String.init), source: source)
    case .number:
      guard Int64(text) != nil else { throw SettingsError("\(definition.variable) needs a whole number.") }
      return Value(texts: [text], source: source)
    case .flag:
      switch text.lowercased() {
      case "1", "true", "yes": return Value(texts: ["true"], source: source)
      case "0", "false", "no": return Value(texts: ["false"], source: source)
      default: throw SettingsError("\(definition.variable) needs true or false.")
      }
    }
  }

  /// Overrides `values` with a profile's.
  private static func apply(
    _ name: String, _ source: Source, _ files: [SettingsFile], _ profiles: [String],
    to values: inout [String: Value]
  ) throws(SettingsError) {
    guard profiles.contains(name) else {
      let near = NearName.hint(name, in: profiles)
      throw SettingsError(
        "There is no profile '\(name.onOneLine)', which \(source.text) names.\(near ?? " 'sealring profile list' shows those that there are.")",
        isMissing: true)
    }
    for file in files {
      for entry in file.document.entries
      where entry.path.count == 3 && entry.path[0] == "profiles" && entry.path[1] == name {
        values[entry.path[2]] = Value(
          texts: entry.value.texts, source: .profile(name, file: file.path, line: entry.line))
      }
    }
  }
}

extension Settings.Source {
  /// The source in words: `profile bank (/home/mira/.config/sealring/config.toml, line 3)`.
  package var text: String {
    switch self {
    case .builtIn: "built in"
    case .file(let path, let line): "\(path), line \(line)"
    case .profile(let name, let file, let line): "profile \(name) (\(file), line \(line))"
    case .environment(let variable): variable
    case .option(let name): name
    }
  }
}
