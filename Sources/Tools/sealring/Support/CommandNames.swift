import ArgumentParser
internal import CommandSettings
import Foundation
import StrictJSON

/// The names of commands and options, to suggest the one that was meant for one that is mistyped.
struct CommandNames {
  private let root: any ParsableCommand.Type

  init(_ root: any ParsableCommand.Type) { self.root = root }

  /// The failure for the first word in the place of a command that is not one; `nil` when all are commands.
  func firstUnknown(in arguments: [String]) -> ValidationError? {
    var words = arguments[...]
    let wantsHelp = words.first == "help" || !Set(arguments).isDisjoint(with: ["--help", "-h"])
    if words.first == "help" { words = words.dropFirst() }
    var command = root
    var path = [Self.name(of: root)]
    while let word = words.popFirst() {
      let subcommands = command.configuration.subcommands
      // Options of the group, or the arguments of a command.
      guard !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
      guard let next = subcommands.first(where: { Self.name(of: $0) == word }) else {
        guard word != "help" else { return firstUnknown(in: Array(path.dropFirst() + words)) }
        let names = subcommands.map(Self.name)
        let hint = NearName.hint(word, in: names)
        // A group that does something by itself may take the word as its argument.
        guard hint != nil || wantsHelp || command.configuration.defaultSubcommand == nil else { return nil }
        return ValidationError(
          "\(path.joined(separator: " ")) has no command '\(printable(word))'.\(hint ?? "") "
            + "Commands are \(names.joined(separator: ", ")).")
      }
      command = next
      path.append(word)
    }
    return nil
  }

  /// The help of a group with the options of what it does by itself; `nil` when `arguments` ask for something else.
  func groupHelp(for arguments: [String]) -> String? {
    var words = arguments
    if words.first == "help" {
      words.removeFirst()
    } else if let last = words.last, ["--help", "-h"].contains(last) {
      words.removeLast()
    } else {
      return nil
    }
    var command = root
    for word in words {
      guard let next = command.configuration.subcommands.first(where: { Self.name(of: $0) == word }) else {
        return nil
      }
      command = next
    }
    guard let standard = command.configuration.defaultSubcommand,
      let sections = Sealring.helpMessage(for: standard).range(of: "\nOPTIONS:")
    else { return nil }
    let path = (words + [Self.name(of: standard)]).joined(separator: " ")
    let options = Sealring.helpMessage(for: standard)[sections.upperBound...]
    return Sealring.helpMessage(for: command)
      + "\n\nOPTIONS OF \(path), which is what \(words.joined(separator: " ")) does:"
      + options
  }

  /// The failure for the first option that the command does not have; `nil` when it has all.
  ///
  /// For command lines that were not accepted: the parser judges what the options say first, and names an unknown one only when nothing else
  /// is wrong.
  func unknownOption(in arguments: [String]) -> ValidationError? {
    var command = root
    var path = [Self.name(of: root)]
    for word in arguments {
      guard let next = command.configuration.subcommands.first(where: { Self.name(of: $0) == word }) else {
        break
      }
      command = next
      path.append(word)
    }
    // A group without the name of a command does what it does by itself.
    command = command.configuration.defaultSubcommand ?? command
    guard let help = try? JSONValue(parsing: Array(command._dumpHelp().utf8)) else { return nil }
    let names = (help["command"]?["arguments"]?.arrayValue ?? []).flatMap { $0["names"]?.arrayValue ?? [] }
      .filter { $0["kind"] == "long" }.compactMap { $0["name"]?.stringValue.map { "--\($0)" } }
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map {
      String($0.prefix { $0 != "=" })
    }
    guard let unknown = options.first(where: { !names.contains($0) && $0 != "--help" }) else { return nil }
    return ValidationError(
      "\(path.joined(separator: " ")) has no option '\(printable(unknown))'.\(NearName.hint(unknown, in: names + ["--help"]) ?? "")"
    )
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? command._commandName
  }
}
