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

  /// Checks `username` and `password` from the journey's state, and uses up the answered step with the first read.
  func verdict(_ context: inout NodeContext) async throws -> Verdict {
    let username = try context.requiredUsername()
    guard let password = context.state[StateKey.password]?.stringValue else {
      throw NodeError(
        "the journey has not collected a password; put a node before this one that sets `password`")
    }
    guard Self.arePossible(username, password) else { return .wrong }
    let account = UniversalID(username: username, realm: context.request.realm)
    let user = try await context.user(account, services.store)
    return try await verdict(
      on: user, of: account, password: password, cookies: context.request.headers["cookie"])
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
    guard Self.arePossible(username, password) else { return .wrong }
    let account = UniversalID(username: username, realm: realm)
    return try await verdict(
      on: services.store.user(account), of: account, password: password, cookies: cookies)
  }

  private static func arePossible(_ username: String, _ password: String) -> Bool {
    LoginName.isPossible(username) && PasswordText.normalized(password) != nil
  }

  private func verdict(
    on user: UserRecord?, of account: UniversalID, password: String, cookies: String?
  ) async throws -> Verdict {
    let name = "\(NameKey.folded(account.realm))/\(NameKey.folded(account.username))"
    let isRight = try await services.passwords.verify(password, against: user?.passwordHash, of: name)
    // After the hash, which takes long: what others counted meanwhile counts here.
    let lock = services.lock(services.scope(.guesses, of: user, cookies: cookies), of: account)
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
  let stepUse = StepUse.byNode
  let services: NodeServices

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let verdict = try await PasswordCheck(services: services).verdict(&context)
    context.note(verdict, at: services.clock())
    if case .right = verdict { return .outcome("true") }
    return .outcome("false")
  }
}

extension NodeContext {
  /// The account of that name, read with the write that uses up the answered step, if that is left to the node.
  ///
  /// - Throws: `StepWasUsed` when somebody else was first.
  fileprivate mutating func user(_ account: UniversalID, _ store: any NodeStore) async throws -> UserRecord? {
    guard let step = answeredStep else { return try await store.user(account) }
    let reading = try await store.user(account, using: OnceKey(step))
    answeredStep = nil
    switch reading {
    case .first(let user): return user
    case .used: throw StepWasUsed()
    }
  }

  /// Notes the verdict; after a right password, the name continues as the store writes it.
  mutating func note(_ verdict: PasswordCheck.Verdict, at now: Date) {
    if let reason = verdict.reason {
      logReason("\(reason): \((state.username ?? "").quoted)")
    }
    if case .right(let user) = verdict {
      state.username = user.username
      state.noteAccount(user.id)
      state.noteAuthentication(at: now, by: "password")
      state.notePassword(PasswordMark(user).text)
    }
  }
}
