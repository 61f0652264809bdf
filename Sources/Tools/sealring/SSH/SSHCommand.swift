import Agent
import ArgumentParser
import DeviceKeys
import DeviceKeysTPM
import Foundation
import PingFido
import PrivateFiles
import SSHFormats
import StrictJSON
import WebAuthnAuthenticator

struct SSHCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ssh", abstract: "Sign in to other machines by SSH with a key of this device.",
    discussion:
      "The keys are for SSH alone: keys that are bound to accounts are never used for it. `sealring agent` signs with them.",
    subcommands: [
      SSHKeyCommand.self, SSHLogin.self, SSHCertificateCommand.self, SSHProxy.self, SSHTrust.self,
    ])

  /// The folder for SSH in the client's home.
  static let folder = "ssh"
}

struct SSHKeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Make, list or remove this device's keys for SSH.",
    subcommands: [List.self, Add.self, Remove.self], defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List this device's keys for SSH.")

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let (keys, faults) = try await chip.sshKeys().readable()
      output.list(
        keys,
        [
          Column("NAME", "name") { $0.name }, Column("TYPE", "type") { $0.publicKey.type },
          Column("FINGERPRINT", "fingerprint") { $0.publicKey.fingerprint },
          Column("UNLOCKED BY", "authType") {
            $0.hasPIN ? "PIN" : "your consent"
          } json: {
            .string($0.stored.protection.rawValue)
          },
          Column("STORE", "store") { $0.stored.kind.rawValue },
          Column("CREATED", "createdAt", time: \.stored.createdAt), Column(nil, "authorizedKey") { $0.line },
        ], none: "No keys for SSH on this device yet. Make one with `sealring ssh key add`.")
      try Output.end(with: faults)
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key for SSH in this device, and print its line for authorized_keys.",
      discussion:
        """
        The private key never leaves the device. A PIN unlocks it, of at least 6 characters; in a token, the token's own PIN.

        With --sk it is a security key: its signatures say that somebody was there, and with a PIN that the person was verified, as the \
        option verify-required in authorized_keys wants it. You are asked for each, whatever --remember says.
        """)

    @Argument(help: "What you call it: letters, digits and . _ - @. It is the comment of the public key.")
    var name: String

    @Option(
      help:
        "Where the key is made: auto (the TPM when there is one, else a token), tpm, pkcs11 (a token, with --module), software."
    )
    var store = StoreChoice.auto

    @Flag(name: .customLong("sk"), help: "Make a security key: sk-ecdsa-sha2-nistp256@openssh.com.")
    var isSecurityKey = false

    @Flag(help: "No PIN: whoever agrees at the agent's question signs in.")
    var noPIN = false

    @Flag(help: "Read the PIN from the first line of standard input.")
    var pinStdin = false

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard SSHKeys.isName(name) else {
        throw ValidationError(
          "A key's name has 1 to \(SSHKeys.longestName) letters, digits and . _ - @, not '\(printable(name))'."
        )
      }
      if noPIN, pinStdin { throw ValidationError("--no-pin and --pin-stdin exclude each other.") }
    }

    func run() async throws {
      let (keyStore, keys) = (try chip.sshKeyStore(store), try chip.sshKeys(store))
      // Before a PIN is asked for; `add` refuses the name, too.
      guard try await !keys.readable().keys.contains(where: { $0.name == name }) else {
        throw CommandFailure.conflict(
          "There is a key \(name) for SSH already. Choose another name, or remove that one first.")
      }
      let pin =
        noPIN ? nil : try await NewPIN.ask(ofKey: name, of: keyStore.token(ofKey: nil), isGiven: pinStdin)
      let key = try await isSecurityKey ? keys.addSecurityKey(name, pin: pin) : keys.add(name, pin: pin)
      if !output.json {
        Output.remark(
          "Made key \(name) in the store '\(key.stored.kind.rawValue)'. Append this line to ~/.ssh/authorized_keys on the other machine:"
        )
      }
      output.result(
        key.line,
        [
          "name": .string(name), "type": .string(key.publicKey.type),
          "fingerprint": .string(key.publicKey.fingerprint),
          "store": .string(key.stored.kind.rawValue), "authorizedKey": .string(key.line),
        ])
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a key for SSH from this device.",
      discussion: "Other machines keep its line in authorized_keys until you delete it there.")

    @Argument(help: "The key's name, as `sealring ssh key list` shows it.")
    var name: String

    @OptionGroup var chip: ChipOptions
    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      let keys = try chip.sshKeys()
      let (readable, faults) = try await keys.readable()
      guard let key = readable.first(where: { $0.name == name }) else {
        try Output.end(with: faults)
        throw CommandFailure.missing("key \(printable(name))", command: "sealring ssh key list")
      }
      try await confirmation.ask("Remove key \(name) (\(key.publicKey.fingerprint)) from this device?")
      try await keys.remove(key)
      try SSHCertificates.ofThisDevice.remove(of: key)
      result.done("Removed key \(name) from this device.", ["name": .string(name), "deleted": true])
    }
  }
}

extension ChipOptions {
  /// This device's keys for SSH, in the chip and in files. They have their own folder, so that no bound key is ever among them.
  func sshKeyStore(_ choice: StoreChoice = .auto) throws -> any DeviceKeyStore {
    try keyStore(choice, in: SSHCommand.folder)
  }

  /// The keys for SSH, together with the stored credentials of security keys.
  func sshKeys(_ choice: StoreChoice = .auto) throws -> SSHKeys {
    let home = ClientHome(directory: ClientHome.standard.directory.appending(path: SSHCommand.folder))
    return SSHKeys(store: try sshKeyStore(choice), credentials: CredentialStore(home: home))
  }
}

extension SSHCertificates {
  /// The certificates in the client's home.
  static var ofThisDevice: SSHCertificates {
    SSHCertificates(folder: ClientHome.standard.directory.appending(path: SSHCommand.folder))
  }
}
