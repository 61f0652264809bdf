import ArgumentParser

/// `sealring push`: this machine as the device that approves sign-ins elsewhere.
struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push",
    abstract: "Approve sign-ins that happen on another device.",
    discussion: """
      `sealring push qr` shows a code on one side, `sealring push enroll` takes it on the other. From then on \
      `sealring push listen` shows what is asked, and asks for the answer.
      """,
    subcommands: [
      Enroll.self, Listen.self, List.self, Approve.self, Deny.self, Credentials.self, QR.self,
    ], defaultSubcommand: List.self)
}
