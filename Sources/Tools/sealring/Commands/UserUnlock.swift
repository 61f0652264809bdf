import ArgumentParser
import Foundation
import JourneyStore
import SecurityEvents
import StrictJSON

extension User {
  /// `sealring user unlock`: the local way back in, without a password.
  struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget an account's wrong tries and locks, on the server's own data.",
      discussion: """
        Works on the server's database, also while the server runs: no administrator has to sign in, so it lets a \
        locked amAdmin in again (--realm root). Passwords, devices and sessions stay as they are.
        """)

    @Argument(help: "The account's name.")
    var username: String

    @Option(help: "The realm.")
    var realm = "alpha"

    @OptionGroup var data: Audit.DataOptions
    @OptionGroup var result: ResultOptions

    func run() async throws {
      let local = LocalStore(directory: data.directory)
      let wasLocked = try await local.use { store in
        let user = try await LocalStore.account(username, realm: realm, in: store)
        let wasLocked = try await store.unlock(username: user.username, realm: user.realm)
        if wasLocked { try await local.note(.lockLifted, of: user) }
        return wasLocked
      }
      result.done(
        wasLocked
          ? "Unlocked \(printable(username)) of realm \(printable(realm))."
          : "\(printable(username)) of realm \(printable(realm)) has no wrong tries and no lock.",
        ["username": .string(username), "realm": .string(realm), "unlocked": .bool(wasLocked)])
    }
  }
}
