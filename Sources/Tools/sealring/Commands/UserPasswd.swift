import Accounts
import ArgumentParser
import Foundation
import JourneyStore
import PasswordHashing
import PasswordRules
import SecurityEvents
import StrictJSON

extension User {
  struct Passwd: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Give an account another password.",
      discussion: """
        Asks for the new password twice, or reads it with --password-stdin. The account's sessions end. With --data it works on the \
        server's own database, also while the server runs, and no administrator signs in: use it when the password of amAdmin is lost \
        (--realm root).
        """)

    @OptionGroup var account: Account

    @Option(help: "The server's folder: change the password there.")
    var data: String?

    @Option(help: "The server's PostgreSQL: change the password there.")
    var database: String?

    @OptionGroup var result: ResultOptions

    func validate() throws { _ = try ServerPlace(data: data, database: database) }

    func run() async throws {
      if data != nil || database != nil {
        try await change(in: ServerPlace(data: data, database: database))
      } else {
        try await account.administration.signedIn { client in
          // The account is read first, so that nobody types a password in vain.
          _ = try await client.user(account.username)
          let password = try await account.administration.newPassword(for: account.username)
          try await client.update(account.username, ["userpassword": .string(password)])
        }
      }
      result.done(
        "\(printable(account.username)) of realm \(printable(account.realm)) has the new password, and its sessions have ended.",
        ["username": .string(account.username), "realm": .string(account.realm), "changed": true])
    }

    private func change(in local: ServerPlace) async throws {
      try await local.use { store in
        let user = try await ServerPlace.account(account.username, realm: account.realm, in: store)
        let password = try await account.administration.newPassword(for: account.username)
        do {
          _ = try await local.accounts(store).change(id: user.id, realm: user.realm, by: .operator) { _ in
            var change = AccountChange()
            change.password = password
            return change
          }
        } catch AccountRefusal.password(let faults) {
          throw CommandFailure.invalid(faults.first?.description ?? "")
        } catch let refusal as AccountRefusal {
          throw CommandFailure.conflict("The password was not changed: \(refusal). Run the command again.")
        }
      }
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Let an account sign in again.")

    @OptionGroup var status: StatusChange

    func run() async throws { try await status.set("Active", "may sign in.") }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Keep an account from signing in, and end its sessions.",
      discussion: "Devices, keys and attributes stay: 'sealring user enable' lets it in again.")

    @OptionGroup var status: StatusChange

    func run() async throws {
      try await status.set("Inactive", "can no longer sign in, and its sessions have ended.")
    }
  }

  /// The common part of enabling and disabling.
  struct StatusChange: ParsableArguments {
    @OptionGroup var account: Account
    @OptionGroup var result: ResultOptions

    func set(_ status: String, _ consequence: String) async throws {
      try await account.administration.signedIn { client in
        try await client.update(account.username, ["inetUserStatus": .string(status)])
      }
      result.done(
        "\(printable(account.username)) \(consequence)",
        ["username": .string(account.username), "inetUserStatus": .string(status)])
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Show an account.")

    @OptionGroup var account: Account
    @OptionGroup var output: ResultOptions

    func run() async throws {
      let user = try await account.administration.signedIn { try await $0.user(account.username) }
      guard !output.json else { return Output.json(.object(user)) }
      for (name, text) in AccountState.rows(user) { Output.line("\(printable(name)): \(printable(text))") }
    }
  }
}
