import ArgumentParser
import CTAPAuthenticator
import Foundation

struct PasskeyBroker: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "broker",
    abstract: "Make the kernel's device for a user's `passkey serve`, so that it needs no rights of its own.",
    discussion: """
      For systemd, as root: standard input is the connection of `sealring passkey serve --uhid-socket`. The kernel's /dev/uhid, which could \
      make any device, stays here; what passes are a security key's reports. Only the user at the screen (seat0 of systemd-logind) is served. \
      docs/linux.md has the units.
      """)

  func run() async throws {
    #if os(Linux)
      guard UHIDBroker.isSocket(0) else {
        throw CommandFailure.usage(
          "Standard input is not a socket of whole messages. Let systemd start this: docs/linux.md has the units."
        )
      }
      try UHIDBroker(program: 0).run(kernel: VirtualSecurityKey.open())
    #else
      throw CommandFailure.unsupported("The broker needs the kernel's uhid, as Linux has it.")
    #endif
  }
}
