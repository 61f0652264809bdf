import Bytes
import Foundation
import PingOrchestrate
import PingStorage
import StrictJSON

/// A session that `sealring session login` keeps on this device. It belongs to its server and realm, and is sent to no other.
struct KeptSession: Codable, Sendable, Redacted {
  let server: String
  let realm: String
  let username: String
  let token: String
  let createdAt: Date

  /// - Parameter name: `nil` is anybody's.
  func isOf(_ address: String, _ realmName: String, _ name: String?) -> Bool {
    server == address && realm == realmName
      && (name.map { $0.lowercased() == username.lowercased() } ?? true)
  }
}

/// The kept sessions: encrypted with the device's key, in a file of mode 0600 in the client's state folder.
struct KeptSessions {
  private static let account = "com.sealring.cli.sessions"

  /// More of them are not kept; the oldest goes.
  private static let maximum = 64

  // The device's key is created when something is first stored.
  private let storage = KeychainStorage<[KeptSession]>(account: Self.account, encryptor: DeviceEncryptor())

  func all() async throws -> [KeptSession] { try await storage.get() ?? [] }

  /// Keeps a session in place of another of the same user there, which is returned.
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
  /// The session kept for this server and realm, of `username` if one is named, else the newest.
  func keptSession(of username: String? = nil) async throws -> KeptSession? {
    try await KeptSessions().all().last { $0.isOf(baseAddress, realm, username) }
  }

  /// Keeps a session for later commands in place of an earlier one of the same user, which ends. From here on it outlives the command.
  ///
  /// - Parameter username: Whose it is, if the server does not say.
  /// - Returns: The session as kept, and what the server says of it.
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

  /// The token of a kept session that the server still takes; `nil` when the person has to sign in. One that has ended is forgotten.
  ///
  /// - Parameter username: Whose; `nil` is the newest.
  func signedInToken(of username: String?) async -> String? {
    guard let session = try? await keptSession(of: username) else { return nil }
    do {
      guard try await AdministrationClient(server: self, token: session.token).isValid() else {
        try await KeptSessions().forget(session)
        return nil
      }
      return session.token
    } catch {
      // Signing in will report what is wrong.
      return nil
    }
  }
}
