import ArgumentParser
internal import CommandSettings

/// The names of commands, to tell who mistypes one which was meant.
struct CommandNames {
  private let root: any ParsableCommand.Type

  init(_ root: any ParsableCommand.Type) { self.root = root }

  /// The failure for the first word that stands where a command belongs and is none; `nil` when all are.
  func firstUnknown(in arguments: [String]) -> ValidationError? {
    var words = arguments[...]
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
        let near = NearName.of(word, in: names)
        // A group that does something by itself may take the word as its argument.
        guard near != nil || command.configuration.defaultSubcommand == nil else { return nil }
        let hint = near.map { " Did you mean '\($0)'?" } ?? ""
        return ValidationError(
          "There is no command '\(printable(word))' of \(path.joined(separator: " ")).\(hint) "
            + "Commands are \(names.joined(separator: ", ")).")
      }
      command = next
      path.append(word)
    }
    return nil
  }

  private static func name(of command: any ParsableCommand.Type) -> String {
    command.configuration.commandName ?? command._commandName
  }
}
