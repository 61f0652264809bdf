import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import StrictJSON

struct Keys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List or delete the keys on this device, or change a PIN.",
    subcommands: [List.self, ChangePIN.self, Repair.self, Delete.self],
    defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys on this device.")

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let keys = try await BindingModule.getAllKeys()
      let keyStore = try chip.keyStore()
      var tries: [String: PINTries] = [:]
      var tokens: [String: KeyToken] = [:]
      for key in keys where key.authType == .applicationPin {
        tokens[key.kid] = try? await keyStore.token(ofKey: key.keyTag)
        tries[key.kid] =
          if let token = tokens[key.kid] { token.pinTries } else {
            try? await keyStore.pinTries(tag: key.keyTag)
          }
      }
      output.list(
        keys,
        [
          Column("KEY", "kid") { $0.kid }, Column(nil, "keyTag") { $0.keyTag },
          Column(nil, "userId") { $0.userId }, Column("USER", "username") { $0.username },
          Column("UNLOCKED BY", "authType") {
            Self.unlocking($0, tries[$0.kid])
          } json: {
            .string($0.authType.rawValue)
          },
          Column("STORE", "store") {
            Self.place($0, tokens[$0.kid])
          } json: {
            .string(($0.store ?? .software).rawValue)
          },
          Column("CREATED", "createdAt", time: \.createdAt), Column(nil, "server") { $0.server },
          Column("REALM", "realm", none: "-") { $0.realm },
          Column("SERVER", none: "not known yet") { $0.server },
          Column(member: "token") { tokens[$0.kid].map { .string($0.text) } ?? .null },
          Column(member: "pinTriesLeft") { tries[$0.kid].map { .integer(Int64($0.left)) } ?? .null },
        ], none: "No keys on this device yet. Bind it with `sealring bind`.")
    }

    /// The kind of the key's store, and its token.
    private static func place(_ key: UserKey, _ token: KeyToken?) -> String {
      [(key.store ?? .software).rawValue, token.map { printable($0.text) }].compactMap { $0 }
        .joined(separator: ": ")
    }

    /// The key's unlocking method, and the remaining PIN tries after a wrong PIN.
    private static func unlocking(_ key: UserKey, _ tries: PINTries?) -> String {
      guard key.authType == .applicationPin, let tries, tries.wrong > 0 || tries.left == 0 else {
        return key.authType.words
      }
      let wait = tries.wait > 0 ? ", next in \(TerminalText.duration(tries.wait))" : ""
      if tries.isOfToken {
        return
          "PIN of the token (\(tries.left > 1 ? "at least " : "")\(tries.left) \(PINTries.noun(tries.left)) left)"
      }
      return "PIN (\(tries.left) \(PINTries.noun(tries.left)) left\(wait))"
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a key from this device.",
      discussion: "The server keeps its record until `sealring devices delete` removes it.")

    @Argument(help: "The key's id, as `sealring keys list` shows it.")
    var kid: String

    @OptionGroup var chip: ChipOptions

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      let key = try await boundKey(kid)
      try await confirmation.ask(
        "Delete key \(key.kid) of \(printable(key.username)) from this device? The server keeps its record ('sealring unbind' "
          + "deletes both)."
      )
      try await BindingModule.deleteKey(key, keyStore: chip.keyStore())
      result.done(
        "Deleted key \(key.kid) of \(printable(key.username)) from this device.",
        ["kid": .string(key.kid), "username": .string(key.username), "deleted": true])
    }
  }
}

extension Keys {
  struct ChangePIN: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "change-pin", abstract: "Change the PIN that unlocks a key.",
      discussion: """
        The key stays the same, so the server is not told. A wrong current PIN counts as a wrong try. With --pin-stdin \
        the current PIN is the first line of standard input and the new one the second.
        """)

    @Argument(
      help: "The key's id, as `sealring keys list` shows it. Not needed when there is only one with a PIN.")
    var kid: String?

    @Flag(help: "Read the current PIN and the new one from the first two lines of standard input.")
    var pinStdin = false

    @OptionGroup var chip: ChipOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
      let key = try await chosenKey()
      let keyStore = try chip.keyStore()
      if !pinStdin {
        Output.remark(
          "Key \(key.kid) of \(printable(key.username)) at \(printable(key.server ?? "its server")).")
      }
      let current = try await pin("Current PIN: ", "current")
      // The current PIN is checked first, so that nobody chooses a new one in vain.
      try await trying(key, in: keyStore) {
        _ = try await keyStore.openKey(tag: key.keyTag, unlock: .pin(current))
      }
      let new = try await newPIN()
      try await trying(key, in: keyStore) {
        try await BindingModule.changePin(
          of: key, from: current, to: new, policy: .commandLine, keyStore: keyStore)
      }
      result.done(
        "Changed the PIN of key \(key.kid) of \(printable(key.username)).",
        ["kid": .string(key.kid), "username": .string(key.username), "changed": true])
    }

    /// Runs `body`, and explains a failure with the remaining tries.
    private func trying(
      _ key: UserKey, in keyStore: any DeviceKeyStore, _ body: () async throws -> Void
    ) async throws {
      do { try await body() } catch let violation as PINPolicyViolation {
        throw CommandFailure.invalid("\(violation.localizedDescription) Nothing was changed.")
      } catch let error as DeviceKeyError {
        let left = try? await keyStore.pinTries(tag: key.keyTag)
        switch error {
        case .wrongPIN, .lockedOut, .disabled, .lost:
          throw DeviceFailure.explain(.unAuthorize, because: error, triesLeft: left)
        default: throw CommandFailure("\(PlainReason.of(error)) Nothing was changed.", code: error.code)
        }
      }
    }

    /// A new PIN that satisfies the policy, typed twice.
    private func newPIN() async throws -> PIN {
      let policy = PINPolicy.commandLine
      if !pinStdin { Output.remark("The new PIN: \(policy.rule)") }
      let new = try await pin("New PIN: ", "new")
      if let violation = policy.violation(of: new) {
        throw CommandFailure.invalid("\(violation.localizedDescription) Nothing was changed.")
      }
      if !pinStdin, try await pin("The same PIN again: ", "new") != new {
        throw CommandFailure.invalid(
          "The two new PINs differ, and nothing was changed. Run the command again.")
      }
      return new
    }

    private func chosenKey() async throws -> UserKey {
      if let kid { return try await boundKey(kid) }
      let keys = try await BindingModule.getAllKeys().filter { $0.authType == .applicationPin }
      return try onlyOne(
        keys, none: "There is no key with a PIN on this device. Bind it first with `sealring bind`.",
        several:
          "There are \(keys.count) keys with a PIN on this device. Name one; `sealring keys list` shows them."
      )
    }

    private func pin(_ question: String, _ which: String) async throws -> PIN {
      let text = pinStdin ? try await StandardInput.shared.nextLine() : try await HiddenPrompt.ask(question)
      guard let text, !text.isEmpty else {
        throw CommandFailure.cancelled(
          "No \(which) PIN was entered; nothing was changed. Enter it, or pass it with --pin-stdin.")
      }
      return PIN(text)
    }
  }
}

/// The key with the id `kid` on this device.
private func boundKey(_ kid: String) async throws -> UserKey {
  guard let key = try await BindingModule.getAllKeys().first(where: { $0.kid == kid }) else {
    throw CommandFailure.missing("key \(printable(kid))", command: "sealring keys list")
  }
  return key
}
