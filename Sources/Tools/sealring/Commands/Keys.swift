import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import StrictJSON

/// `sealring keys`: the keys on this device.
struct Keys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List or delete the keys on this device, or change a PIN.",
    subcommands: [List.self, ChangePIN.self, Repair.self, Delete.self],
    defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys on this device.")

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
      let keys = try await BindingModule.getAllKeys()
      if json {
        Output.json(
          .array(
            keys.map { key in
              [
                "kid": .string(key.kid), "keyTag": .string(key.keyTag), "userId": .string(key.userId),
                "username": .string(key.username), "authType": .string(key.authType.rawValue),
                "store": .string(key.store?.rawValue ?? KeyStoreKind.software.rawValue),
                "createdAt": .string(key.createdAt.formatted(.iso8601)),
                "server": key.server.map { .string($0) } ?? .null,
                "realm": key.realm.map { .string($0) } ?? .null,
              ]
            }))
      } else if keys.isEmpty {
        Output.remark("No keys on this device yet. Bind it with `sealring bind`.")
      } else {
        Output.table(
          head: ["KEY", "USER", "UNLOCKED BY", "STORE", "CREATED", "REALM", "SERVER"],
          rows: keys.map {
            [
              $0.kid, printable($0.username), $0.authType.words,
              ($0.store ?? .software).rawValue, Times.text($0.createdAt),
              printable($0.realm ?? "-"), printable($0.server ?? "not known yet"),
            ]
          })
      }
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

    func run() async throws {
      let key = try await boundKey(kid)
      try await confirmation.ask(
        "Delete key \(key.kid) of \(printable(key.username)) from this device? The server keeps its record ('sealring unbind' deletes both)."
      )
      try await BindingModule.deleteKey(key, keyStore: chip.keyStore())
      Output.remark("Deleted key \(key.kid) of \(printable(key.username)) from this device.")
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

    func run() async throws {
      let key = try await chosenKey()
      let current = try await pin("Current PIN: ", "current")
      let new = try await pin("New PIN: ", "new")
      if !pinStdin, try await pin("The same PIN again: ", "new") != new {
        throw CommandFailure("The two new PINs differ, and nothing was changed. Run the command again.")
      }
      do {
        try await BindingModule.changePin(
          of: key, from: current, to: new, policy: .commandLine, keyStore: chip.keyStore())
      } catch let violation as PINPolicyViolation {
        throw CommandFailure("\(violation.localizedDescription) Nothing was changed.")
      }
      Output.remark("Changed the PIN of key \(key.kid) of \(printable(key.username)).")
    }

    private func chosenKey() async throws -> UserKey {
      if let kid { return try await boundKey(kid) }
      let keys = try await BindingModule.getAllKeys().filter { $0.authType == .applicationPin }
      guard let key = keys.first, keys.count == 1 else {
        throw CommandFailure(
          keys.isEmpty
            ? "There is no key with a PIN on this device. Bind it first with `sealring bind`."
            : "There are \(keys.count) keys with a PIN on this device. Name one; `sealring keys list` shows them."
        )
      }
      return key
    }

    private func pin(_ question: String, _ which: String) async throws -> PIN {
      let text = pinStdin ? try await StandardInput.shared.nextLine() : try await HiddenPrompt.ask(question)
      guard let text, !text.isEmpty else {
        throw CommandFailure(
          "There is no \(which) PIN; nothing was changed. Enter it, or pass it with --pin-stdin.")
      }
      return PIN(text)
    }
  }
}

/// The key `kid` of this device.
private func boundKey(_ kid: String) async throws -> UserKey {
  guard let key = try await BindingModule.getAllKeys().first(where: { $0.kid == kid }) else {
    throw CommandFailure(
      "There is no key \(printable(kid)) on this device. `sealring keys list` shows what there is.")
  }
  return key
}
