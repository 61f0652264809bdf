import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import StrictJSON

/// `sealring keys`: the keys on this device.
struct Keys: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List or delete the keys on this device.", subcommands: [List.self, Delete.self],
    defaultSubcommand: List.self)

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys on this device.")

    @Flag(help: "Print the list as JSON.")
    var json = false

    func run() async throws {
      let keys = try await BindingModule.getAllKeys()
      let store = try SoftwareKeyStore().kind.rawValue
      if json {
        Output.json(
          .array(
            keys.map { key in
              [
                "kid": .string(key.kid), "keyTag": .string(key.keyTag), "userId": .string(key.userId),
                "username": .string(key.username), "authType": .string(key.authType.rawValue),
                "store": .string(store),
                "createdAt": .string(key.createdAt.formatted(.iso8601)),
              ]
            }))
      } else if keys.isEmpty {
        Output.remark("No keys on this device yet. Bind it with `sealring bind`.")
      } else {
        Output.table(
          head: ["KEY", "USER", "UNLOCKED BY", "STORE", "CREATED"],
          rows: keys.map {
            [$0.kid, printable($0.username), $0.authType.rawValue, store, $0.createdAt.formatted(.iso8601)]
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

    func run() async throws {
      guard let key = try await BindingModule.getAllKeys().first(where: { $0.kid == kid }) else {
        throw CommandFailure(
          "There is no key \(printable(kid)) on this device. `sealring keys list` shows what there is.")
      }
      try await BindingModule.deleteKey(key)
      Output.remark("Deleted key \(key.kid) of \(printable(key.username)) from this device.")
    }
  }
}
