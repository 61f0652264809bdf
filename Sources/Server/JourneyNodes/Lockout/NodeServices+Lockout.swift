internal import JourneyEngine
package import JourneyStore

extension NodeServices {
  /// Where a try of `user` counts: with the known device that the request comes from, else in common.
  package func scope(_ kind: LockoutScope.Kind, of user: UserRecord?, cookies: String?) -> LockoutScope {
    LockoutScope(kind, device: knownDevices.device(of: user, cookies: cookies, now: clock()))
  }

  func scope(_ kind: LockoutScope.Kind, of user: UserRecord?, in request: RequestFacts) -> LockoutScope {
    scope(kind, of: user, cookies: request.headers["cookie"])
  }

  /// The same for a name, which may be nobody's.
  func scope(
    _ kind: LockoutScope.Kind, of username: String, in request: RequestFacts
  ) async throws -> LockoutScope {
    // Most requests bring no token, and then it makes no difference who it is.
    guard knownDevices.areNamed(in: request.headers["cookie"]) else { return LockoutScope(kind) }
    let user = try await store.user(named: username, realm: request.realm)
    return scope(kind, of: user, in: request)
  }

  /// Counts a failure of the name, which may be nobody's. While a lock lasts nothing is counted.
  func countFailure(
    _ kind: LockoutScope.Kind, of username: String, in request: RequestFacts
  ) async throws {
    let scope = try await scope(kind, of: username, in: request)
    let state = try await store.recordFailure(
      of: UniversalID(username: username, realm: request.realm), scope: scope, policy: lockout, now: clock())
    await noteLock(state, scope, of: username, realm: request.realm)
  }

  /// Whether tries of that kind are refused unseen.
  func isLocked(
    _ kind: LockoutScope.Kind, _ username: String, in request: RequestFacts
  ) async throws -> Bool {
    let scope = try await scope(kind, of: username, in: request)
    return try await store.lockout(of: UniversalID(username: username, realm: request.realm), scope: scope)
      .isLocked(at: clock())
  }

  /// Takes a right try, and forgets the failures before it; `false` while a lock lasts.
  func recordSuccess(
    _ kind: LockoutScope.Kind, of username: String, in request: RequestFacts
  ) async throws -> Bool {
    let scope = try await scope(kind, of: username, in: request)
    return try await store.recordSuccess(
      of: UniversalID(username: username, realm: request.realm), scope: scope, now: clock())
  }
}
