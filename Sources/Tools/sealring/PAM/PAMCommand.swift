import Agent
import ArgumentParser
import DeviceKeys
import Foundation
import PAMAgent
import StrictJSON
import TerminalText

struct PAMCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pam", abstract: "Let sudo, login and other programs recognise you by a key of this device.",
    discussion:
      "The keys are for PAM alone. Root enrols a person's public key and names the module in /etc/pam.d; docs/linux.md says how, and how to get in without it.",
    subcommands: [
      Enrol.self, PAMStatus.self, PAMTest.self, PAMLogCommand.self, PAMAnswer.self, PAMCheckCommand.self,
    ])

  static let needsLinux = CommandFailure.unsupported("The PAM module is for Linux.")
  static let noConnection = CommandFailure.usage(
    "Standard input is not a connection of the PAM module. Name a socket with --socket.")

  /// The user that this process runs as.
  static func currentUser() throws -> (name: String, id: UInt32) {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else {
      throw CommandFailure.unsupported("This process's user has no name.")
    }
    return (String(cString: name), entry.pointee.pw_uid)
  }

  #if os(Linux)
    /// The places that count the waiting requests of a service that root runs.
    static func places(_ service: String) -> PAMPlaces {
      let folder = Environment.variables["RUNTIME_DIRECTORY"] ?? PAMFiles.places
      return PAMPlaces(URL(filePath: folder, directoryHint: .isDirectory).appending(path: service))
    }
  #endif

  struct Enrol: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key for PAM in this device; as root, enrol a person.",
      discussion: """
        Without --user it makes a key, or takes the one that is there, and prints its public line. With --user, as root, it writes to \
        /etc/sealring/pam/USER by what PAM recognises the user from then on, where /etc/pam.d names the module: such a line, an account at \
        the server, recovery codes.

        Example: sealring pam enrol
                 sudo sealring pam enrol --user mira --key "pin 04… login" --recovery-codes
        """)

    @Option(help: "What the key is called: letters, digits and . _ - @.")
    var name = "login"

    @Option(
      help:
        "Where the key is made: auto (the TPM when there is one, else a token), tpm, pkcs11 (a token, with --module), software."
    )
    var store = StoreChoice.auto

    @Flag(help: "No PIN: your yes is enough, where the service's line in /etc/pam.d has verify=consent.")
    var noPIN = false

    @Flag(help: "Read the PIN from the first line of standard input.")
    var pinStdin = false

    @Option(help: "Enrol this user, as root.")
    var user: String?

    @Option(
      help: ArgumentHelp("The line that `sealring pam enrol` printed for that user.", valueName: "line"))
    var key: String?

    @Option(
      help: "The user's account at the server, for services with mode=server, either or both in /etc/pam.d.")
    var serverAccount: String?

    @Flag(
      help: """
        Print ten codes, once, that let the user in once each in place of PIN or phone; earlier codes end.
        """)
    var recoveryCodes = false

    @Option(help: "Where the enrolled keys are, if not in /etc/sealring/pam.", completion: .directory)
    var folder = PAMFiles.users

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard SSHKeys.isName(name) else {
        throw ValidationError("A key's name has 1 to \(SSHKeys.longestName) letters, digits and . _ - @.")
      }
      guard (user != nil) == (key != nil || serverAccount != nil || recoveryCodes) else {
        throw ValidationError(
          "--user needs --key, --server-account or --recovery-codes, and they need --user.")
      }
      #if os(Linux)
        if let user, !PAMUserFile.isUser(user) {
          throw ValidationError(
            "The PAM module takes names of letters, digits and . _ - only, not '\(printable(user))'.")
        }
      #endif
      if let serverAccount,
        !(1...256).contains(serverAccount.utf8.count) || TerminalText.line(serverAccount) != serverAccount
      {
        throw ValidationError("--server-account is the name of an account, on one line.")
      }
      if let key, !PAMKey.isLine(key) {
        throw ValidationError("--key is a line that `sealring pam enrol` printed, in quotation marks.")
      }
      if noPIN, pinStdin { throw ValidationError("--no-pin and --pin-stdin exclude each other.") }
    }

    func run() async throws {
      guard let user else { return try await make() }
      #if os(Linux)
        try await enrol(user)
      #else
        throw PAMCommand.needsLinux
      #endif
    }

    private func make() async throws {
      let store = try chip.keyStore(store, in: "pam")
      let keys = PAMKeys(store: store)
      let there = try await keys.readable().keys.first { $0.name == name }
      if let there, there.hasPIN == noPIN {
        throw CommandFailure.conflict(
          "There is a key \(name) \(there.hasPIN ? "with" : "without") a PIN already. Choose another name.")
      }
      let key =
        if let there { there } else {
          try await keys.add(
            name, pin: noPIN ? nil : NewPIN.ask(ofKey: name, of: store.token(ofKey: nil), isGiven: pinStdin))
        }
      if !output.json {
        Output.remark(
          """
          \(there == nil ? "Made key" : "There is the key") \(name) in the store '\(key.stored.kind.rawValue)'. Root enrols it with: \
          sealring pam enrol --user \(try PAMCommand.currentUser().name) --key "LINE"
          """)
      }
      output.result(
        key.line,
        [
          "name": .string(name), "verify": .string(key.hasPIN ? "pin" : "consent"),
          "store": .string(key.stored.kind.rawValue), "key": .string(key.line),
        ])
    }
  }
}

#if os(Linux)
  extension PAMCommand.Enrol {
    private func enrol(_ user: String) async throws {
      let file = try PAMUserFile(user: user, folder: folder)
      guard getpwnam(user) != nil else {
        throw CommandFailure.notFound("This machine has no user \(user).")
      }
      var (codes, written): ([String], [String]) = ([], [])
      do {
        if let key { try await file.add(key) }
        if let serverAccount { try await file.setAccount(serverAccount) }
        if recoveryCodes { codes = try await RecoveryCodes(file).renew() }
        written = try file.lines()
      } catch {
        throw CommandFailure.unsupported(
          "\(file.path) cannot be written (run this as root): \(PlainReason.of(error))")
      }
      if !output.json { for code in codes { Output.line(code) } }
      let kept = codes.isEmpty ? "" : " Save the codes now: only their hashes are kept."
      output.done(
        "Enrolled \(user) in \(file.path). Try it with `sealring pam test` before you change a service.\(kept)",
        [
          "user": .string(user), "file": .string(file.path),
          "keys": .integer(Int64(written.count { $0.hasPrefix("pin ") || $0.hasPrefix("consent ") })),
          "recoveryCodes": .array(codes.map { .string($0) }),
        ])
    }
  }
#endif
