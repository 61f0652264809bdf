internal import BindingFormats
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import SecurityEvents
internal import StrictJSON

extension NodeServices {
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
