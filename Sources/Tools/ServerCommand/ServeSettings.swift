import ArgumentParser
package import CommandSettings
import Foundation
import StrictJSON

extension SettingDefinition {
  /// The server's settings: the options of `sealring serve`, each under its own name below the heading `[serve]`.
  package static let serve: [SettingDefinition] = ServeSettings.options().compactMap { option in
    guard let name = option.longName, name != "help", name != "version", name != "json" else { return nil }
    let kind: Kind = option.isFlag ? .flag : option.isRepeating ? .list : option.isNumber ? .number : .text
    return SettingDefinition("serve.\(name)", kind, help: option.help, standard: option.standard)
  }
}

/// Gives `sealring serve` the options that the settings hold.
package enum ServeSettings {
  /// An option of a command, as its help describes it.
  struct Option {
    let longName: String?
    let isFlag: Bool
    let isRepeating: Bool
    let isNumber: Bool
    let help: String
    let standard: String?
  }

  /// What `arguments` do not say themselves, as further arguments; nothing for other commands. An option that is given is the only
  /// word about it, also one that can be given several times.
  package static func arguments(for arguments: [String], _ settings: Settings) -> [String] {
    guard arguments.first == "serve", !arguments.contains("--help"), !arguments.contains("-h") else {
      return []
    }
    let given = Set(
      arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map { $0.prefix { $0 != "=" } })
    var further: [String] = []
    for definition in settings.definitions where definition.name.hasPrefix("serve.") {
      let option = "--" + definition.name.dropFirst("serve.".count)
      guard !given.contains(option[...]), let value = settings[definition.name], value.source != .builtIn
      else {
        continue
      }
      switch definition.kind {
      case .flag: if value.text == "true" { further.append(option) }
      // In one word, so that a value may begin with a hyphen.
      case .text, .number, .list: further += value.texts.map { "\(option)=\($0)" }
      }
    }
    return further
  }

  /// Where the options of ``arguments(for:_:)`` come from, to be said when the server does not take them.
  package static func origin(of further: [String], _ settings: Settings) -> String {
    let names = Set(further.map { String($0.dropFirst(2).prefix { $0 != "=" }) })
    return names.sorted().compactMap { name in
      settings["serve.\(name)"].map { "--\(name) is from \($0.source.text)." }
    }.joined(separator: "\n")
  }

  /// The options of `sealring serve`, as the argument parser describes them.
  static func options() -> [Option] {
    guard let dump = try? JSONValue(parsing: Array(Serve._dumpHelp().utf8)) else { return [] }
    return (dump["command"]?["arguments"]?.arrayValue ?? []).map { argument in
      let long = argument["names"]?.arrayValue?.first { $0["kind"] == "long" }?["name"]?.stringValue
      let standard = argument["defaultValue"]?.stringValue
      return Option(
        longName: long, isFlag: argument["kind"] == "flag",
        isRepeating: argument["isRepeating"]?.boolValue ?? false,
        isNumber: standard.flatMap { Int64($0) } != nil,
        help: argument["abstract"]?.stringValue ?? "", standard: standard)
    }
  }
}
