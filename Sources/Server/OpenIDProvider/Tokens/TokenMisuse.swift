internal import BindingFormats
internal import JourneyNodes
internal import JourneyStore
internal import SecurityEvents
internal import StrictJSON

/// What came a second time, or from somebody who lacks what it is bound to: two have it, and one of them is a thief.
enum TokenMisuse: String {
  case code
  case refreshToken = "refresh-token"
  case proof = "dpop-proof"
  case assertion = "client-assertion"
}

extension OpenIDProvider {
  /// Tells those who watch.
  func noteMisuse(_ what: TokenMisuse, of grant: GrantRecord) async {
    await services.events.note(
      SecurityEvent(
        .tokenMisused, realm: grant.key.account.realm, account: grant.key.account.username,
        accountID: grant.mark.accountID, outcome: .refused,
        cause: "all that was granted by it has ended",
        detail: ["kind": .string(what.rawValue), "client": .string(grant.clientID)]))
  }

  /// The same of what ends nothing: a proof, whose token is known only later, or a client's assertion.
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
