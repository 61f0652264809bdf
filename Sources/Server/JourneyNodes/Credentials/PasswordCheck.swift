internal import Accounts
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

    /// Too many failures; also for unknown names, and whether or not the password is right.
    case locked

    /// The password is right, but the account may not sign in.
    case inactive(UserRecord)

    /// The password is right, but has expired. Never reported for a change of the password.
    case expired(UserRecord)

    /// The password is right, but must be changed first. Never reported for a change of the password.
    case mustChange(UserRecord)
  }

  /// Checks `username` and `password` from the journey's state for a sign-in, and uses up the answered step with the first read.
  func verdict(_ context: inout NodeContext) async throws -> Verdict {
    let username = try context.requiredUsername()
    guard let password = context.state[StateKey.password]?.stringValue else {
      throw NodeError(
        "the journey has not collected a password; put a node before this one that sets `password`")
    }
    guard Self.arePossible(username, password) else { return .wrong }
    let account = UniversalID(username: username, realm: context.request.realm)
    let user = try await context.user(account, services.store)
    let verdict = try await verdict(
      on: user, of: account, password: password, cookies: context.request.headers["cookie"])
    guard case .right(let user) = verdict else { return verdict }
    if user.passwordExpiry.map({ $0 <= services.clock() }) ?? false { return .expired(user) }
    return user.mustChangePassword ? .mustChange(user) : verdict
  }

  /// Checks a name and a password for a change of the password, which may have expired and may have to be changed.
  ///
  /// Known and unknown names take the same path and the same time. The hash is computed first; then one write checks the lock
  /// and counts, so that simultaneous guesses gain nothing over sequential ones.
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

  /// Checks the current password of a user who wants a new one, so that a stolen session is not enough to take over an account or to guess
  /// its password.
  ///
  /// - Returns: the version of the password that is right; `nil` for a wrong one, which is counted.
  package func provenVersion(
    _ password: String, of user: UserRecord, cookies: String?
  ) async throws -> Int? {
    guard
      case .right(let checked) = try await verdict(
        username: user.username, password: password, realm: user.realm, cookies: cookies),
      checked.id == user.id
    else { return nil }
    return checked.passwordVersion
  }

  private static func arePossible(_ username: String, _ password: String) -> Bool {
    LoginName.isPossible(username) && PasswordText.normalized(password) != nil
  }

  private func verdict(
    on user: UserRecord?, of account: UniversalID, password: String, cookies: String?
  ) async throws -> Verdict {
    let name = "\(NameKey.folded(account.realm))/\(NameKey.folded(account.username))"
    let isRight = try await services.passwords.verify(password, against: user?.passwordHash, of: name)
    // Settled after the hash, which takes long, so that failures that were counted in the meantime count here.
    let lock = services.lock(services.scope(.passwords, of: user, cookies: cookies), of: account)
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
  /// For the operator's log; `nil` when the journey continues.
  var reason: String? {
    switch self {
    case .right, .mustChange: nil
    case .expired: "the password has expired"
    case .wrong: "the name is unknown or the password is wrong"
    case .locked: "the account is locked after too many failures"
    case .inactive: "the account is inactive"
    }
  }
}

extension NodeContext {
  /// The account of that name, read with the write that uses up the answered step, if that is left to the node.
  ///
  /// - Throws: `StepWasUsed` when another request was first.
  fileprivate mutating func user(_ account: UniversalID, _ store: any ServerStore) async throws -> UserRecord?
  {
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
