import ArgumentParser

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key",
    abstract: "The server key: list, rotate, retire; for a device's keys see `sealring keys`.",
    discussion: """
      Works on the server's own data; servers may be running, and go on. A rotation announces a new key, uses it once all servers that \
      run have it, and encrypts again what the earlier key has encrypted. Then retire the earlier one. docs/keys.md goes through it.
      """,
    subcommands: [
      KeyList.self, KeyRotate.self, KeyReencrypt.self, KeyRetire.self,
    ], defaultSubcommand: KeyList.self)
}
