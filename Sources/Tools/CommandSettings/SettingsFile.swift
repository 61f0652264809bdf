internal import Bytes
internal import Foundation
internal import TOML

/// The settings of one file, all of them valid.
package struct SettingsFile: Sendable {
  /// The file's path, for messages.
  package let path: String
  var document: TOMLDocument

  /// The names of the file's profiles: letters, digits, - and _.
  package var profiles: [String] {
    var names: [String] = []
    for path in document.headings.map(\.path) + document.entries.map(\.path)
    where path.first == "profiles" && path.count > 1 && !names.contains(path[1]) {
      names.append(path[1])
    }
    return names
  }

  /// - Throws: ``SettingsError``, which names the line and the setting, for a text that is not TOML, an unknown name, a value of the
  ///   wrong type, and a secret.
  package init(
    parsing bytes: [UInt8], path: String, definitions: [SettingDefinition]
  ) throws(SettingsError) {
    self.path = path
    do throws(TOMLError) { document = try TOMLDocument(parsing: bytes) } catch {
      throw SettingsError(error, path)
    }
    for entry in document.entries { try check(entry, definitions) }
    for heading in document.headings { try check(heading: heading.path, line: heading.line, definitions) }
  }

  /// The name of a value in messages and in `config set`.
  private static func name(_ path: [String]) -> String { path.joined(separator: ".") }

  /// The definition for a path in a file; `nil` when there is none.
  static func definition(_ path: [String], in definitions: [SettingDefinition]) -> SettingDefinition? {
    if path.count == 3, path[0] == "profiles" {
      return definitions.first { $0.isInProfiles && $0.name == path[2] }
    }
    return definitions.first { $0.path == path }
  }

  /// All valid names at the level of `path`.
  private static func names(beside path: [String], in definitions: [SettingDefinition]) -> [String] {
    if path.count == 3, path[0] == "profiles" { return definitions.filter(\.isInProfiles).map(\.name) }
    let table = path.dropLast()
    return definitions.filter { $0.path.dropLast() == table }.map { $0.path.last ?? "" }
  }

  private func check(_ entry: TOMLDocument.Entry, _ definitions: [SettingDefinition]) throws(SettingsError) {
    let name = Self.name(entry.path)
    let place = "\(path), line \(entry.line)"
    guard let definition = Self.definition(entry.path, in: definitions) else {
      try Self.refuseSecret(named: name, place: place)
      let near = NearName.of(entry.path.last ?? "", in: Self.names(beside: entry.path, in: definitions))
        .map { " Did you mean '\((entry.path.dropLast() + [$0]).joined(separator: "."))'?" }
      throw SettingsError(
        "\(place): there is no setting '\(name)'.\(near ?? " 'sealring config show' lists them.")")
    }
    guard definition.accepts(entry.value) else {
      throw SettingsError("\(place): '\(name)' needs \(definition.kind.description).")
    }
    for text in entry.value.texts { try Self.refuseSecret(in: text, of: name, place: place) }
  }

  private func check(
    heading: [String], line: Int, _ definitions: [SettingDefinition]
  ) throws(SettingsError) {
    if heading.first == "profiles", heading.count <= 2 { return }
    let tables = Set(definitions.map { Array($0.path.dropLast()) })
    guard !tables.contains(heading) else { return }
    let near = NearName.of(heading[0], in: tables.compactMap(\.first) + ["profiles"]).map {
      " Did you mean [\($0)]?"
    }
    throw SettingsError(
      "\(path), line \(line): there is no heading [\(Self.name(heading))].\(near ?? " There are [profiles.NAME] and [serve].")"
    )
  }

  /// Refuses passwords and other secrets: they belong in separate files, which settings can name.
  static func refuseSecret(named name: String, place: String) throws(SettingsError) {
    let last = name.split(separator: ".").last.map(String.init) ?? name
    let words = Set(last.lowercased().split { $0 == "-" || $0 == "_" }.map(String.init))
    guard !words.isDisjoint(with: ["password", "pin", "secret", "token", "passphrase"]) else { return }
    throw SettingsError(
      "\(place): settings must not hold secrets, and '\(name)' would be one. Put it in a file that only you can read; "
        + "admin-password-file names the administrator's.")
  }

  /// Refuses an address with a password in it.
  static func refuseSecret(in text: String, of name: String, place: String) throws(SettingsError) {
    guard text.contains("://"), URLComponents(string: text)?.password != nil else { return }
    throw SettingsError(
      "\(place): settings must not hold secrets, and the address in '\(name)' has a password. Take it out.")
  }
}

extension SettingDefinition {
  func accepts(_ value: TOMLValue) -> Bool {
    switch (kind, value) {
    case (.text, .text), (.text, .integer), (.number, .integer), (.flag, .flag), (.list, .texts),
      (.list, .text):
      true
    default: false
    }
  }
}

extension SettingDefinition.Kind {
  var description: String {
    switch self {
    case .text: "a text in quotation marks"
    case .number: "a whole number"
    case .flag: "true or false"
    case .list: "a list of texts, such as [\"a\", \"b\"]"
    }
  }
}

extension TOMLValue {
  /// The value in the form of options.
  var texts: [String] {
    switch self {
    case .text(let text): [text]
    case .integer(let number): [String(number)]
    case .flag(let isOn): [isOn ? "true" : "false"]
    case .texts(let texts): texts
    }
  }
}
