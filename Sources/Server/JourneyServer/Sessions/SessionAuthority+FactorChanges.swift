internal import BindingFormats
internal import Foundation
internal import Hummingbird
internal import JourneyNodes
internal import JourneyStore
internal import StrictJSON

extension SessionAuthority {
  /// Lets a session change the factors of `account`, its own or, for administrators, another's: devices, whether they are
  /// optional, the password, or all of it. The policy applies to the session's account and its own factors.
  ///
  /// Call this after the request's body has been read, right before the change.
  ///
  /// - Throws: 403 that says what to do.
  func requireFactorChange(_ session: AuthenticatedSession, of account: UniversalID) async throws {
    do {
      _ = try await factorChanges.permission(
        realm: account.realm, actor: session.account, proofs: [FactorChangeCheck.Proof(session.record)])
    } catch let needed as StepUpNeeded { throw refusal(needed, account) }
  }

  /// The account that a path names, for a request that changes its factors.
  ///
  /// - Parameter capability: what others than the account itself need.
  func requireFactorChange(
    _ request: Request, user: String, realm: String, capability: Capability = .support
  ) async throws -> UniversalID {
    let session = try await requireSession(request)
    let account = try AccountName.account(user, realm: realm)
    try await require(capability, session, over: account)
    try await requireFactorChange(session, of: account)
    return account
  }

  private func refusal(_ needed: StepUpNeeded, _ account: UniversalID) -> ErrorResponse {
    let journey = stepUpJourney(needed.authLevel, needed.realm)
    var detail = needed.detail
    detail["compositeAdvice"] = .string(CompositeAdvice.text(level: needed.authLevel))
    detail["realm"] = .string(needed.realm.realmPath)
    detail["journey"] = journey.map { .string($0) }
    var message = "Changing factors needs \(needed.description)."
    if let journey {
      message += " Run journey \(journey) with ForceAuth=true and this session, then try again."
    }
    return ErrorResponse(
      .forbidden, message, detail: detail,
      cause: "the session may not change factors of \(account.text): that needs \(needed.description)")
  }
}
