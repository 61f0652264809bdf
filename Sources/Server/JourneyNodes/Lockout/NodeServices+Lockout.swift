package import BindingFormats
internal import JourneyEngine
package import JourneyStore

extension NodeServices {
  /// The scope in which a try of `user` counts: the known device that the request comes from, or everybody's.
  package func scope(_ kind: LockoutScope.Kind, of user: UserRecord?, cookies: String?) -> LockoutScope {
    LockoutScope(kind, device: knownDevices.device(of: user, cookies: cookies, now: clock()))
  }

  /// The lock of a name, which may belong to nobody.
  package func lock(_ scope: LockoutScope, of account: UniversalID) -> AccountLock {
    AccountLock(
      store: store, of: account, scope: scope, policy: lockout, clock: clock,
      lockBegan: { await noteLock(until: $0, scope, of: account) })
  }

  /// The lock of an account for tries by the device that sent the request.
  func lock(_ kind: LockoutScope.Kind, of user: UserRecord, in request: RequestFacts) -> AccountLock {
    lock(scope(kind, of: user, cookies: request.headers["cookie"]), of: user.account)
  }

  /// The same for a name, which may belong to nobody.
  func lock(
    _ kind: LockoutScope.Kind, of username: String, in request: RequestFacts
  ) async throws -> AccountLock {
    var scope = LockoutScope(kind)
    // Most requests have no token, and then the account makes no difference.
    if knownDevices.areNamed(in: request.headers["cookie"]) {
      let user = try await store.user(named: username, realm: request.realm)
      scope = self.scope(kind, of: user, cookies: request.headers["cookie"])
    }
    return lock(scope, of: UniversalID(username: username, realm: request.realm))
  }
}
