internal import BindingFormats
internal import JourneyNodes
internal import JourneyStore
internal import SecurityEvents
internal import StrictJSON

/// The kind of a token that was presented twice, or without what it is bound to. Two parties have it, and one is a thief.
enum TokenMisuse: String {
  case code
  case refreshToken = "refresh-token"
  case proof = "dpop-proof"
  case assertion = "client-assertion"
}

extension OpenIDProvider {
  /// Records the misuse as a security event.
  func noteMisuse(_ what: TokenMisuse, of grant: GrantRecord) async {
    await services.events.note(
      SecurityEvent(
        .tokenMisused, realm: grant.key.account.realm, account: grant.key.account.username,
        accountID: grant.mark.accountID, outcome: .refused,
        cause: "all that was granted by it has ended",
        detail: ["kind": .string(what.rawValue), "client": .string(grant.clientID)]))
  }

  /// Records a replay that ends no grant: of a proof, whose token is known only later, or of a client's assertion.
  ///
  /// - Parameter client: the client, where it is known.
  func noteReplay(_ what: TokenMisuse, realm: String, client: String? = nil) async {
    var detail: JSONObject = ["kind": .string(what.rawValue)]
    detail["client"] = client.map(JSONValue.string)
    await services.events.note(
      SecurityEvent(
        .tokenMisused, realm: realm, outcome: .refused, cause: "it was used before", detail: detail))
  }
}
