internal import Accounts
internal import JourneyEngine
internal import StrictJSON

extension NodeContext {
  /// The run as the actor of acts on accounts.
  var actor: AccountActor {
    .journey(
      AccountActor.JourneyFacts(
        journey: journey, realm: request.realm, username: state.username,
        authenticatedAt: state.authenticatedAt, authLevel: state.authLevel,
        sessionHash: session?.tokenHash, provenMail: state.provenMail))
  }
}

extension AccountActor {
  /// A run that has proven nobody.
  static let nobody = AccountActor.journey(JourneyFacts(journey: "", realm: ""))
}

extension JourneyState {
  private static let provenMailKey = "provenMail"

  /// Most addresses that one run proves.
  private static let mostProven = 5

  /// Addresses that the run's person has opened a link from, or that a provider answers for; as ``MailState/key(_:)`` writes them.
  var provenMail: Set<String> {
    Set((secure[Self.provenMailKey]?.arrayValue ?? []).compactMap(\.stringValue))
  }

  private static let createdAccountKey = "createdAccount"

  /// The id of the account that the run has made; `nil` when it has made none.
  var createdAccount: String? {
    get { secure[Self.createdAccountKey]?.stringValue }
    set { secure[Self.createdAccountKey] = newValue.map { .string($0) } }
  }

  mutating func noteProvenMail(_ address: String) {
    let proven = provenMail.union([MailState.key(address)])
    guard proven.count <= Self.mostProven else { return }
    secure[Self.provenMailKey] = .array(proven.sorted().map { .string($0) })
  }
}

extension NodeRefusal {
  /// What the client learns when an act of a journey was refused.
  init(mapping refusal: AccountRefusal) {
    guard case .stepUp(let needed, _, _) = refusal else {
      self.init("\(refusal)", detail: JSONObject())
      return
    }
    self.init(
      "factors may be changed only after \(needed); neither the journey nor the session presented at its start has "
        + "that", detail: needed.detail)
  }
}

extension ManagedObjectError {
  init(_ refusal: AccountRefusal) {
    let reason: Reason =
      switch refusal {
      case .forbidden, .stepUp, .lastAdministrator: .forbidden
      case .noSuchUser: .notFound
      case .conflict, .changedMeanwhile: .conflict
      case .unproven, .invalid, .schema, .password: .invalid
      }
    self.init(reason, "\(refusal)")
  }
}
