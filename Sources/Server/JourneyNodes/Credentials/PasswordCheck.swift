internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import StrictJSON

/// Decides whether a name and a password belong together, counting failures.
struct PasswordCheck: Sendable {
  let services: NodeServices

  enum Verdict: Sendable {
    case right(UserRecord)

    /// Unknown name, no password, or the wrong one.
    case wrong

    /// Too many failures; said of unknown names too, and whether or not the password is right.
    case locked

    /// The password is right, but the account may not sign in.
    case inactive(UserRecord)
  }

  /// Checks `username` and `password` from the journey's state.
  ///
  /// Known and unknown names take the same way and the same time. The lock is read after the hash was
  /// computed, so that guesses sent all at once do not outrun the count.
  func verdict(_ context: NodeContext) async throws -> Verdict {
    let username = try context.requiredUsername()
    guard let password = context.state[StateKey.password]?.stringValue else {
      throw NodeError(
        "the journey has not collected a password; put a node before this one that sets `password`")
    }
    let realm = context.request.realm
    guard username.utf8.count <= CredentialCallback.maximumNameBytes,
      password.utf8.count <= CredentialCallback.maximumPasswordBytes
    else { return .wrong }
    let user = try await services.store.user(named: username, realm: realm)
    let isRight = try await services.passwords.verify(password, against: user?.passwordHash)
    let now = services.clock()
    let scope = services.scope(.guesses, of: user, in: context.request)
    guard isRight, let user, user.isActive else {
      let lockout = try await services.store.lockout(username: username, realm: realm, scope: scope)
      guard !lockout.isLocked(at: now) else { return .locked }
      if isRight, let user { return .inactive(user) }
      _ = try await services.store.recordFailure(
        username: username, realm: realm, scope: scope, policy: services.lockout, now: now)
      return .wrong
    }
    guard
      try await services.store.recordSuccess(username: username, realm: realm, scope: scope, now: now)
    else { return .locked }
    return .right(user)
  }
}

extension PasswordCheck.Verdict {
  /// For the operator's log; `nil` for success.
  var remark: String? {
    switch self {
    case .right: nil
    case .wrong: "the name is unknown or the password is wrong"
    case .locked: "the account is locked after too many failures"
    case .inactive: "the account is inactive"
    }
  }
}

extension NodeContext {
  /// Notes the verdict; after a right password, the name continues as the store writes it.
  mutating func note(_ verdict: PasswordCheck.Verdict, at now: Date) {
    if let reason = verdict.remark {
      remark("\(reason): \(JSONValue.string(state.username ?? "").text)")
    }
    if case .right(let user) = verdict {
      state.username = user.username
      state.noteAuthentication(at: now)
    }
  }
}
