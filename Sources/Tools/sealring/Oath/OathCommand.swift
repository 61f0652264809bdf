import ArgumentParser

struct OathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "oath",
    abstract: "Make one-time codes (TOTP and HOTP).",
    discussion: """
      `sealring oath add` takes the QR code or the address that a service shows, `sealring oath code` makes the codes. \
      `sealring journey run` gives them without asking to the server that enrolled this device.
      """,
    subcommands: [Add.self, List.self, Code.self, Delete.self], defaultSubcommand: List.self)
}
