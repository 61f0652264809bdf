import Agent
import ArgumentParser
import DeviceKeys
import Foundation
import PAMAgent
import StrictJSON

struct PAMCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "pam", abstract: "Let sudo, login and other programs recognise you by a key of this device.",
    discussion:
      "The keys are for PAM alone. Root enrols a person's public key and names the module in /etc/pam.d; docs/linux.md says how, and how to get in without it.",
    subcommands: [Enrol.self, PAMStatus.self, PAMTest.self, PAMAnswer.self])

  /// Where root keeps the enrolled keys, one file a user, as the PAM module has it.
  static let folder = "/etc/sealring/pam"

  /// A user's name as the PAM module takes it: also the name of a file.
  static func isUser(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count) && !name.hasPrefix("-") && !name.hasPrefix(".")
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) }
  }

  /// The user that this process runs as.
  static func currentUser() throws -> (name: String, id: UInt32) {
    guard let entry = getpwuid(geteuid()), let name = entry.pointee.pw_name else {
      throw CommandFailure.unsupported("This process's user has no name.")
    }
    return (String(cString: name), entry.pointee.pw_uid)
  }

  /// The lines of the keys that root enrolled for a user.
  static func enrolled(_ user: String, in folder: String) -> [String] {
    let text = String(
      decoding: FileManager.default.contents(atPath: "\(folder)/\(user)") ?? Data(), as: UTF8.self)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
  }

  struct Enrol: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key for PAM in this device; as root, enrol a person's key.",
      discussion: """
        Without --user it makes a key, or takes the one that is there, and prints its public line. With --user, as root, it adds such a line \
        to /etc/sealring/pam/USER: from then on PAM recognises the user by that key, where /etc/pam.d names the module.

        Example: sealring pam enrol
                 sudo sealring pam enrol --user mira --key "pin 04… login"
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

    @Option(help: "Enrol a key for this user, as root.")
    var user: String?

    @Option(
      help: ArgumentHelp("The line that `sealring pam enrol` printed for that user.", valueName: "line"))
    var key: String?

    @Option(help: "Where the enrolled keys are, if not in /etc/sealring/pam.", completion: .directory)
    var folder = PAMCommand.folder

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard SSHKeys.isName(name) else {
        throw ValidationError("A key's name has 1 to \(SSHKeys.longestName) letters, digits and . _ - @.")
      }
      guard (user == nil) == (key == nil) else { throw ValidationError("--user and --key belong together.") }
      if let user, !PAMCommand.isUser(user) {
        throw ValidationError(
          "The PAM module takes names of letters, digits and . _ - only, not '\(printable(user))'.")
      }
      if let key, !PAMKey.isLine(key) {
        throw ValidationError("--key is a line that `sealring pam enrol` printed, in quotation marks.")
      }
      if noPIN, pinStdin { throw ValidationError("--no-pin and --pin-stdin exclude each other.") }
    }

    func run() async throws {
      if let user, let key { try enrol(key, for: user) } else { try await make() }
    }

    private func make() async throws {
      let store = try chip.keyStore(store, in: "pam")
      let keys = PAMKeys(store: store)
      let there = try await keys.all().first { $0.name == name }
      if let there, there.hasPIN == noPIN {
        throw CommandFailure.conflict(
          "There is a key \(name) \(there.hasPIN ? "with" : "without") a PIN already. Choose another name.")
      }
      let key: PAMKey
      if let there {
        key = there
      } else {
        key = try await keys.add(
          name, pin: noPIN ? nil : NewPIN.ask(ofKey: name, of: store.token(ofKey: nil), isGiven: pinStdin))
      }
      guard output.json else {
        Output.remark(
          """
          \(there == nil ? "Made key" : "There is the key") \(name) in the store '\(key.stored.kind.rawValue)'. Root enrols it with: \
          sealring pam enrol --user \(try PAMCommand.currentUser().name) --key "LINE"
          """)
        return Output.line(key.line)
      }
      Output.json(
        .object([
          "name": .string(name), "verify": .string(key.hasPIN ? "pin" : "consent"),
          "store": .string(key.stored.kind.rawValue), "key": .string(key.line),
        ]))
    }

    private func enrol(_ key: String, for user: String) throws {
      guard getpwnam(user) != nil else {
        throw CommandFailure.notFound("This machine has no user \(user).")
      }
      let path = "\(folder)/\(user)"
      let lines = PAMCommand.enrolled(user, in: folder)
      do {
        if !lines.contains(key) {
          // The module refuses what others could write to.
          umask(0o022)
          try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
          let text = (lines + [key]).joined(separator: "\n") + "\n"
          // No user's name begins so: what a killed command leaves behind enrols nobody.
          let draft = "\(folder)/.\(user).new"
          try Data(text.utf8).write(to: URL(filePath: draft))
          try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: draft)
          guard rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        }
      } catch {
        throw CommandFailure.unsupported(
          "\(path) cannot be written (run this as root): \(PlainReason.of(error))")
      }
      output.done(
        "Enrolled the key for \(user) in \(path). Try it with `sealring pam test` before you change a service.",
        [
          "user": .string(user), "file": .string(path),
          "keys": .integer(Int64(PAMCommand.enrolled(user, in: folder).count)),
        ])
    }
  }
}
