internal import BindingFormats
internal import Foundation
internal import JourneyEngine
package import JourneyStore
internal import PasswordRules
internal import StrictJSON

/// Checks a name and a password and counts failures: the one place where guesses are judged, in journeys and when users
/// change their password.
package struct PasswordCheck: Sendable {
  let services: NodeServices

  package init(services: NodeServices) { self.services = services }

  package enum Verdict: Sendable {
    case right(UserRecord)

    /// Unknown name, no password, or the wrong one.
    case wrong

    /// Too many failures; said of unknown names too, and whether or not the password is right.
    case locked

    /// The password is right, but the account may not sign in.
    case inactive(UserRecord)
  }

  /// Checks `username` and `password` from the journey's state.
  func verdict(_ context: NodeContext) async throws -> Verdict {
    let username = try context.requiredUsername()
    guard let password = context.state[StateKey.password]?.stringValue else {
      throw NodeError(
        "the journey has not collected a password; put a node before this one that sets `password`")
    }
    return try await verdict(
      username: username, password: password, realm: context.request.realm,
      cookies: context.request.headers["cookie"])
  }

  /// Checks a name and a password.
  ///
  /// Known and unknown names take the same path and the same time. The hash is computed first; then one write checks the lock
  /// and counts, so that guesses sent all at once gain nothing over guesses sent one by one.
  ///
  /// - Parameter cookies: the request's `Cookie` header, which may say that it comes from a known device.
  package func verdict(
    username: String, password: String, realm: String, cookies: String?
  ) async throws -> Verdict {
    guard LoginName.isPossible(username), PasswordText.normalized(password) != nil else { return .wrong }
    let user = try await services.store.user(named: username, realm: realm)
    let isRight = try await services.passwords.verify(
      password, against: user?.passwordHash, of: "\(NameKey.folded(realm))/\(NameKey.folded(username))")
    let scope = services.scope(.guesses, of: user, cookies: cookies)
    let lock = services.lock(scope, of: UniversalID(username: username, realm: realm))
    guard try await lock.settle(isRight: isRight) else { return .locked }
    guard isRight, let user else { return .wrong }
    guard user.isActive else { return .inactive(user) }
    return .right(await renewed(user, password: password))
  }

  /// The account with a hash of today's cost. A hash that cannot be renewed now is renewed at the next sign-in.
  private func renewed(_ user: UserRecord, password: String) async -> UserRecord {
    guard let old = user.passwordHash, services.passwords.needsRehash(old),
      let hash = try? await services.passwords.hash(password),
      (try? await services.store.renewPasswordHash(of: user, to: hash)) == true
    else { return user }
    var user = user
    user.passwordHash = hash
    return user
  }
}

extension PasswordCheck.Verdict {
  /// For the operator's log; `nil` for success.
  var reason: String? {
    switch self {
    case .right: nil
    case .wrong: "the name is unknown or the password is wrong"
    case .locked: "the account is locked after too many failures"
    case .inactive: "the account is inactive"
    }
  }
}

/// Goes to `true` when the collected name and password are right and the account may sign in.
struct DataStoreDecisionNode: JourneyNode {
  let outcomes = ["true", "false"]
  let stateInputs = [StateKey.username, StateKey.password]
  let services: NodeServices

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let verdict = try await PasswordCheck(services: services).verdict(context)
    context.note(verdict, at: services.clock())
    if case .right = verdict { return .outcome("true") }
    return .outcome("false")
  }
}

extension NodeContext {
  /// Notes the verdict; after a right password, the name continues as the store writes it.
  mutating func note(_ verdict: PasswordCheck.Verdict, at now: Date) {
    if let reason = verdict.reason {
      logReason("\(reason): \((state.username ?? "").quoted)")
    }
    if case .right(let user) = verdict {
      state.username = user.username
      state.noteAuthentication(at: now, by: "password")
      state.notePassword(PasswordMark(user).text)
    }
  }
}
