import ArgumentParser
internal import Bytes
internal import CommandSettings
import Foundation
import StrictJSON

/// A wrong command line, such as an unknown word. The message includes the usage of this command, not of the whole program.
struct WrongUsage: Error {
  let message: String
  let command: any ParsableCommand.Type
  /// The command's words, beginning with the program's name.
  let path: [String]

  /// The message with usage, in the form of the argument parser.
  var fullMessage: String {
    let usage = Sealring.usageString(for: command)
    return """
      Error: \(message)
      Usage: \(usage.hasPrefix("USAGE: ") ? String(usage.dropFirst("USAGE: ".count)) : usage)
        See '\(path.joined(separator: " ")) --help' for more information.
      """
  }
}

/// The names of commands and options, for suggesting the intended one when a name is mistyped.
struct CommandNames {
  private let root: any ParsableCommand.Type

  init(_ root: any ParsableCommand.Type) { self.root = root }

  /// The failure for the first word that should be a command but is not; `nil` when all are commands.
  func firstUnknown(in arguments: [String]) -> WrongUsage? {
    let isHelp = arguments.first == "help"
    let wantsHelp = isHelp || !Set(arguments).isDisjoint(with: ["--help", "-h"])
    let (command, path, rest) = walk(Array(arguments.dropFirst(isHelp ? 1 : 0)))
    let subcommands = command.configuration.subcommands
    // The rest are options of the group, or arguments of a command.
    guard let word = rest.first, !subcommands.isEmpty, !word.hasPrefix("-") else { return nil }
    guard word != "help" else { return firstUnknown(in: Array(path.dropFirst() + rest.dropFirst())) }
    let names = subcommands.map(Self.name)
    let hint = NearName.hint(word, in: names)
    // A group with a default command may take the word as its argument.
    guard hint != nil || wantsHelp || command.configuration.defaultSubcommand == nil else { return nil }
    return WrongUsage(
      message: "\(path.joined(separator: " ")) has no command '\(printable(word))'.\(hint ?? "") "
        + "Commands are \(names.joined(separator: ", ")).", command: command, path: path)
  }

  /// The failure for a validation error that a command found while it ran; `nil` for other errors. The parser reports earlier ones
  /// itself, with the usage.
  func wrongUsage(_ error: any Error, in arguments: [String]) -> WrongUsage? {
    guard let found = error as? ValidationError else { return nil }
    let (command, path) = command(in: arguments)
    return WrongUsage(message: found.message, command: command, path: path)
  }

  /// The help of a group together with the options of its default command; `nil` when `arguments` do not ask for that.
  func groupHelp(for arguments: [String]) -> String? {
    var words = arguments
    if words.first == "help" {
      words.removeFirst()
    } else if let last = words.last, ["--help", "-h"].contains(last) {
      words.removeLast()
    } else {
      return nil
    }
    let (command, _, rest) = walk(words)
    guard rest.isEmpty, let standard = command.configuration.defaultSubcommand,
      let sections = Sealring.helpMessage(for: standard).range(of: "\nOPTIONS:")
    else { return nil }
    let path = (words + [Self.name(of: standard)]).joined(separator: " ")
    let options = Sealring.helpMessage(for: standard)[sections.upperBound...]
    return Sealring.helpMessage(for: command)
      + "\n\nOPTIONS OF \(path), which is what \(words.joined(separator: " ")) does:"
      + options
  }

  /// The failure for the first option that the command does not have; `nil` when it has all of them.
  ///
  /// For rejected command lines: the parser first checks the values of options, and reports an unknown option only if nothing else is
  /// wrong.
  func unknownOption(in arguments: [String]) -> WrongUsage? {
    let (command, path) = command(in: arguments)
    guard let all = Self.options(of: command) else { return nil }
    let names = all.map(\.name)
    let options = arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }.map {
      String($0.prefix { $0 != "=" })
    }
    guard let unknown = options.first(where: { !names.contains($0) && $0 != "--help" }) else { return nil }
    return WrongUsage(
      message:
        "\(path.joined(separator: " ")) has no option '\(printable(unknown))'.\(NearName.hint(unknown, in: names + ["--help"]) ?? "")",
      command: command, path: path)
  }

  /// Moves ids that begin with a hyphen behind `--`, so that the parser takes them as arguments.
  ///
  /// One in 64 ids and thumbprints in base64url begins with a hyphen, and the parser would read it as short options: `passkey delete
  /// -zh…` showed the help. Short options have one letter, so an argument as long as an id is an id.
  func separatingIDs(in arguments: [String]) -> [String] {
    guard arguments.prefix(while: { $0 != "--" }).contains(where: Self.isHyphenated),
      let all = Self.options(of: command(in: arguments).command)
    else { return arguments }
    var kept: [String] = []
    var behind: [String] = []
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        behind += rest
        break
      }
      if argument.hasPrefix("--") {
        kept.append(argument)
        if all.contains(where: { $0.name == argument && $0.takesValue }), let value = rest.popFirst() {
          kept.append(value)
        }
      } else if !behind.isEmpty || Self.isHyphenated(argument) {
        behind.append(argument)
      } else {
        kept.append(argument)
      }
    }
    return behind.isEmpty ? arguments : kept + ["--"] + behind
  }

  /// The length of the shortest random id, in bytes.
  private static let shortestID = 16

  private static func isHyphenated(_ argument: String) -> Bool {
    argument.hasPrefix("-") && !argument.hasPrefix("--")
      && Base64URL.decode(argument).map { $0.count >= shortestID } ?? false
  }

  /// The command that `arguments` start with, and its words. A group without a command's name stands for its default command.
  private func command(in arguments: [String]) -> (command: any ParsableCommand.Type, path: [String]) {
    let (command, path, _) = walk(arguments)
    return (command.configuration.defaultSubcommand ?? command, path)
  }

  /// The command or group that the first words name, those words, and the remaining ones.
  private func walk(
    _ words: [String]
  ) -> (command: any ParsableCommand.Type, path: [String], rest: ArraySlice<String>) {
    var (command, path, rest) = (root, [Self.name(of: root)], words[...])
    while let word = rest.first,
      let next = command.configuration.subcommands.first(where: { Self.name(of: $0) == word })
    {
      command = next
      path.append(word)
      rest = rest.dropFirst()
    }
    return (command, path, rest)
  }

  private static func options(of command: any ParsableCommand.Type) -> [(name: String, takesValue: Bool)]? {
    guard let help = try? JSONValue(parsing: Array(command._dumpHelp().utf8)) else { return nil }
    return (help["command"]?["arguments"]?.arrayValue ?? []).flatMap { argument in
      (argument["names"]?.arrayValue ?? []).filter { $0["kind"] == "long" }.compactMap { name in
        name["name"]?.stringValue.map { ("--\($0)", argument["kind"] == "option") }
      }
    }
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? command._commandName
  }
}
