import ArgumentParser
package import CommandSettings
import Foundation
import StrictJSON

extension SettingDefinition {
  /// The server's settings: the options of `sealring serve` from the argument parser, each by its name under the heading
  /// `[serve]`.
  package static let serve: [SettingDefinition] = {
    let dump = try? JSONValue(parsing: Array(Serve._dumpHelp().utf8))
    return (dump?["command"]?["arguments"]?.arrayValue ?? []).compactMap { argument in
      let long = argument["names"]?.arrayValue?.first { $0["kind"] == "long" }
      guard let name = long?["name"]?.stringValue, !["help", "version", "json"].contains(name) else {
        return nil
      }
      let standard = argument["defaultValue"]?.stringValue
      let kind: Kind =
        argument["kind"] == "flag"
        ? .flag
        : argument["isRepeating"]?.boolValue == true
          ? .list : standard.flatMap { Int64($0) } != nil ? .number : .text
      return SettingDefinition(
        "serve.\(name)", kind, help: argument["abstract"]?.stringValue ?? "", standard: standard)
    }
  }()
}

/// Passes options from the settings to `sealring serve`.
package enum ServeSettings {
  /// Returns further arguments for settings that `arguments` do not give; empty for other commands. A given option replaces the setting,
  /// even if it can be repeated.
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
      // Option and value form one word, so that a value may begin with a hyphen.
      case .text, .number, .list: further += value.texts.map { "\(option)=\($0)" }
      }
    }
    return further
  }

  /// The sources of the options of ``arguments(for:_:)``, for the message when the server rejects them.
  package static func origin(of further: [String], _ settings: Settings) -> String {
    let names = Set(further.map { String($0.dropFirst(2).prefix { $0 != "=" }) })
    return names.sorted().compactMap { name in
      settings["serve.\(name)"].map { "--\(name) is from \($0.source.text)." }
    }.joined(separator: "\n")
  }
}
