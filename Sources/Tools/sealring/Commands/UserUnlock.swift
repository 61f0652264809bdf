import Accounts
import ArgumentParser
import Foundation
import JourneyStore
import SecurityEvents
import StrictJSON

extension User {
  struct Unlock: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Clear an account's wrong tries and locks.",
      discussion: """
        With --server an administrator or the help desk signs in there. Without it the command works on the server's own database, also \
        while the server runs: no administrator has to sign in, so it lets a locked amAdmin in again (--realm root). Passwords, \
        devices and sessions stay as they are.
        """)

    @Argument(help: "The account's name.")
    var username: String

    @Option(help: "The realm.")
    var realm = CurrentSettings.text("realm")

    @OptionGroup var place: DataOrServer
    @OptionGroup var result: ResultOptions

    func run() async throws {
      let wasLocked: Bool
      if let administration = try place.administration(realm: realm) {
        wasLocked = try await administration.signedIn { try await $0.unlock(username) }
      } else {
        wasLocked = try await unlockLocally()
      }
      let local = place.server == nil ? try place.data.place : nil
      let origin = local.map {
        $0.address == nil ? " in \(printable($0.directory.path(percentEncoded: false)))" : " in PostgreSQL"
      }
      let account = "\(printable(username)) of realm \(printable(realm))\(origin ?? "")"
      result.done(
        wasLocked
          ? "Unlocked \(account)." : "\(account) has no wrong tries and no lock.",
        ["username": .string(username), "realm": .string(realm), "unlocked": .bool(wasLocked)])
    }

    private func unlockLocally() async throws -> Bool {
      let local = try place.data.place
      return try await local.use { store in
        let user = try await ServerPlace.account(username, realm: realm, in: store)
        return try await local.accounts(store).unlock(user.account, by: .operator)
      }
    }
  }
}
