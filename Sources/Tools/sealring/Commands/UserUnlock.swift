import ArgumentParser
import Foundation
import JourneyStore
import PingStorage
import SecurityEvents

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

    func run() async throws {
      let store = try data.store()
      let outcome: Result<Bool, any Error>
      do {
        guard try await store.user(named: username, realm: realm) != nil else {
          throw CommandFailure(
            "Realm \(printable(realm)) has no account \(printable(username)). Check the name, --realm and --data."
          )
        }
        outcome = .success(try await store.unlock(username: username, realm: realm))
      } catch { outcome = .failure(error) }
      try await store.close()
      let wasLocked = try outcome.get()
      if wasLocked { try await note() }
      Output.remark(
        wasLocked
          ? "Unlocked \(printable(username)) of realm \(printable(realm))."
          : "\(printable(username)) of realm \(printable(realm)) has no wrong tries and no lock.")
    }

    /// The act's event, beside the database: it was done without the server.
    private func note() async throws {
      let file = EventFile(path: data.directory.appending(path: "events.jsonl").path(percentEncoded: false))
      try await file.record(
        SecurityEvent(
          .lockLifted, realm: realm, account: username, actor: "\(NSUserName()) on this machine", time: Date()
        ),
        durably: true)
    }
  }
}

extension Audit.DataOptions {
  /// The store that is there, to be changed; a running server goes on.
  ///
  /// - Throws: `CommandFailure` when there is none, rather than making one.
  fileprivate func store() throws -> SQLiteStore {
    let folder = directory
    let file = folder.appending(path: "sealring.sqlite").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: file) else {
      throw CommandFailure("There is no \(file). Name the server's folder with --data.")
    }
    return try SQLiteStore(directory: folder)
  }
}
