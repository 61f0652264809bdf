import ArgumentParser
import CTAPAuthenticator
import Foundation
import TerminalPrompts
import TerminalText
import UserVerificationFprintd

struct PasskeyServe: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Be a security key for other programs: browsers, ssh-keygen and whatever else uses FIDO2.",
    discussion: """
      Runs in the foreground until Ctrl-C. Other programs find a security key on USB, which the kernel makes (uhid). Before each passkey is \
      made or used you are asked, on this command's terminal; without one, as a service, by a notification of the desktop or, for a PIN, by pinentry. Without anybody to ask it refuses.

      Where the PIN is asked for, a finger that is enrolled with fprintd does as well, once the PIN was entered with it enrolled.

      The passkeys are apart from those of the other commands, in the TPM or in files. The program that asks sets and manages them, and \
      their PIN, as those of any security key.
      """)

  @Option(
    help: "A socket where a broker, or a test, speaks for the kernel. Default: the kernel's /dev/uhid.",
    completion: .file())
  var uhidSocket: String?

  @OptionGroup var asking: PromptOptions

  @Option(
    help: "Where new passkeys are made: auto (the TPM if there is one), tpm (fails without one), software.")
  var store = StoreChoice.auto

  @Flag(help: "Take the PIN only, also where a finger is enrolled (fprintd).")
  var pinOnly = false

  @OptionGroup var chip: ChipOptions

  func validate() throws {
    // A token has one PIN for all its keys, and accepts no other.
    guard store != .pkcs11, chip.module == nil, chip.token == nil else {
      throw ValidationError(
        "Passkeys for other programs are made in the TPM or in files: --store auto, tpm or software.")
    }
  }

  func run() async throws {
    #if os(Linux)
      try await serve()
    #else
      throw CommandFailure.unsupported(
        "A virtual security key needs the kernel's uhid, as Linux has it. Run this there.")
    #endif
  }
}

#if os(Linux)
  extension PasskeyServe {
    private func serve() async throws {
      let environment = Environment.variables
      // A pinentry that exits in the middle of a dialog must not kill this process.
      signal(SIGPIPE, SIG_IGN)
      // The command keeps reading its terminal, and does not return to a shell.
      Terminal.controlling.keepsEchoOff = false
      let place = try PasskeyPlace.served(chip, store)
      let authenticator = CTAPAuthenticator(
        keyStore: place.keys, credentials: place.records,
        prompt: asking.prompt(environment),
        fingers: pinOnly
          ? nil : place.vault.map { SecurityKeyFingers(reader: FprintdVerifier(), vault: $0) },
        log: Output.event)
      let descriptor =
        try uhidSocket.map { try VirtualSecurityKey.connect(to: $0) } ?? VirtualSecurityKey.open()
      try await VirtualSecurityKey(descriptor: descriptor, authenticator).run(
        started: { Output.line("The security key is there. End it with Ctrl-C.") },
        wink: { Output.event("Here I am: a program asked which security key this is.") })
      throw CommandFailure(
        "The kernel, or the broker, took the security key away. A broker gives one only to the user at this machine's"
          + " screen, and its journal says why it ended. Start this again."
      )
    }
  }
#endif
