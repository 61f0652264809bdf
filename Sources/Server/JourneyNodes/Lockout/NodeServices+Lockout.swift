package import BindingFormats
internal import JourneyEngine
package import JourneyStore

extension NodeServices {
  /// Where a try of `user` counts: with the known device that the request comes from, else in common.
  package func scope(_ kind: LockoutScope.Kind, of user: UserRecord?, cookies: String?) -> LockoutScope {
    LockoutScope(kind, device: knownDevices.device(of: user, cookies: cookies, now: clock()))
  }

  /// The lock of a name, which may be nobody's.
  package func lock(_ scope: LockoutScope, of account: UniversalID) -> AccountLock {
    AccountLock(
      store: store, of: account, scope: scope, policy: lockout, clock: clock,
      lockBegan: { await noteLock(until: $0, scope, of: account) })
  }

  /// The lock of an account for tries from where the request comes from.
  func lock(_ kind: LockoutScope.Kind, of user: UserRecord, in request: RequestFacts) -> AccountLock {
    lock(
      scope(kind, of: user, cookies: request.headers["cookie"]),
      of: UniversalID(username: user.username, realm: request.realm))
  }

  /// The same for a name, which may be nobody's.
  func lock(
    _ kind: LockoutScope.Kind, of username: String, in request: RequestFacts
  ) async throws -> AccountLock {
    var scope = LockoutScope(kind)
    // Most requests bring no token, and then it makes no difference who it is.
    if knownDevices.areNamed(in: request.headers["cookie"]) {
      let user = try await store.user(named: username, realm: request.realm)
      scope = self.scope(kind, of: user, cookies: request.headers["cookie"])
    }
    return lock(scope, of: UniversalID(username: username, realm: request.realm))
  }
}
