import Bytes
import Foundation
import PingOrchestrate
import PingStorage
import StrictJSON

/// A session that `sealring session login` keeps on this device. It is sent only to its own server and realm.
struct KeptSession: Codable, Sendable, Redacted {
  let server: String
  let realm: String
  let username: String
  let token: String
  let createdAt: Date

  /// - Parameter name: The user; `nil` for any.
  func isOf(_ address: String, _ realmName: String, _ name: String?) -> Bool {
    server == address && realm == realmName
      && (name.map { $0.lowercased() == username.lowercased() } ?? true)
  }
}

/// The kept sessions: encrypted with the device's key, in a file of mode 0600 in the client's state folder.
struct KeptSessions {
  private static let account = "com.sealring.cli.sessions"

  /// The most kept sessions; beyond that the oldest is dropped.
  private static let maximum = 64

  // The device's key is created when data is first stored.
  private let storage = KeychainStorage<[KeptSession]>(account: Self.account, encryptor: DeviceEncryptor())

  func all() async throws -> [KeptSession] { try await storage.get() ?? [] }

  /// Keeps a session, and returns the user's earlier session on that server, which it replaces.
  func keep(_ session: KeptSession) async throws -> KeptSession? {
    try await storage.update { kept in
      var sessions = kept ?? []
      let index = sessions.firstIndex { $0.isOf(session.server, session.realm, session.username) }
      let replaced = index.map { sessions.remove(at: $0) }
      sessions.append(session)
      if sessions.count > Self.maximum { sessions.removeFirst(sessions.count - Self.maximum) }
      kept = sessions
      return replaced
    }
  }

  func forget(_ session: KeptSession) async throws {
    try await storage.update { kept in
      kept = kept?.filter { $0.token != session.token }
      if kept?.isEmpty == true { kept = nil }
    }
  }
}

extension ServerOptions {
  /// The session kept for this server and realm: of `username`, or the newest if that is `nil`.
  func keptSession(of username: String? = nil) async throws -> KeptSession? {
    try await KeptSessions().all().last { $0.isOf(baseAddress, realm, username) }
  }

  /// Keeps a session for later commands, and ends an earlier one of the same user. From now on the session outlives the command.
  ///
  /// - Parameter username: The owner, if the server does not report it.
  /// - Returns: The kept session, and the server's information about it.
  func keepSession(_ token: String, of username: String) async throws -> (KeptSession, information: JSONValue)
  {
    let information = try await AdministrationClient(server: self, token: token).sessionInformation()
    let session = KeptSession(
      server: baseAddress, realm: realm, username: information["username"]?.stringValue ?? username,
      token: token, createdAt: Date())
    let replaced = try await KeptSessions().keep(session)
    OpenSessions.ofThisCommand.keep()
    if let replaced, replaced.token != token {
      _ = try? await AdministrationClient(server: self, token: replaced.token).logout()
    }
    return (session, information)
  }

  /// The token of a kept session that is still valid; `nil` when the user must sign in. A session that has ended is forgotten.
  ///
  /// - Parameter username: The owner; `nil` for the newest session.
  func signedInToken(of username: String?) async -> String? {
    guard let session = try? await keptSession(of: username) else { return nil }
    do {
      guard try await AdministrationClient(server: self, token: session.token).isValid() else {
        try await KeptSessions().forget(session)
        return nil
      }
      return session.token
    } catch {
      // Signing in will report the problem.
      return nil
    }
  }
}
