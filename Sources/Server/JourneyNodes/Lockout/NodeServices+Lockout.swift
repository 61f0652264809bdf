package import BindingFormats
internal import Foundation
internal import JourneyEngine
package import JourneyStore
internal import SecurityEvents
internal import StrictJSON

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

  /// The lock of a name, which may belong to nobody, for tries by the device that sent the request.
  func lock(
    _ kind: LockoutScope.Kind, of username: String, in request: RequestFacts
  ) async throws -> AccountLock {
    var scope = LockoutScope(kind)
    // Most requests have no token, so that the account makes no difference and is not read.
    if knownDevices.areNamed(in: request.headers["cookie"]) {
      let user = try await store.user(named: username, realm: request.realm)
      scope = self.scope(kind, of: user, cookies: request.headers["cookie"])
    }
    return lock(scope, of: UniversalID(username: username, realm: request.realm))
  }

  /// Records that an account got a device; on disk before the journey continues.
  func noteAddedDevice(_ id: String, kind: String, of user: UserRecord, in context: NodeContext) async throws
  {
    try await events.require(
      SecurityEvent(
        .deviceAdded, realm: user.realm, account: user.username, accountID: user.id, journey: context.journey,
        detail: ["kind": .string(kind), "device": .string(id)]))
  }

  /// Records that failures have locked something.
  func noteLock(until end: Date, _ scope: LockoutScope, of account: UniversalID) async {
    var detail: JSONObject = [
      "kind": .string(scope.kind.isGuess ? "guesses" : scope.kind.rawValue),
      "until": .string(end.formatted(.iso8601)),
    ]
    if scope.kind.isGuess { detail["guessed"] = .string(scope.kind.rawValue) }
    if scope.device != nil { detail["knownDevice"] = true }
    await events.note(
      SecurityEvent(
        .lockBegan, realm: account.realm, account: account.username, outcome: .refused, detail: detail))
  }
}
