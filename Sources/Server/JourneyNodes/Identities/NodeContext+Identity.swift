internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension JSONObject {
  /// What one part of a journey's state has collected about an identity.
  var objectAttributes: JSONObject {
    get { self[StateKey.objectAttributes]?.objectValue ?? JSONObject() }
    set { self[StateKey.objectAttributes] = .object(newValue) }
  }
}

extension JourneyState {
  /// What the journey has collected about an identity: shared values, overridden by those that never leave the journey.
  var objectAttributes: JSONObject {
    var attributes = shared.objectAttributes
    attributes.merge(transient.objectAttributes)
    return attributes
  }

  /// Collects a value; secrets go where they never leave the journey.
  mutating func collect(_ value: JSONValue?, at pointer: JSONPointer, isSecret: Bool = false) {
    if isSecret {
      pointer.set(value, in: &transient.objectAttributes)
    } else {
      pointer.set(value, in: &shared.objectAttributes)
    }
  }
}

extension NodeServices {
  /// The most accounts with one address that are looked at.
  private static let mostOfOneAddress = 100

  /// The account that the journey is about.
  ///
  /// The user whom the journey has named comes first: input must not lead a journey that has verified one account to another. The collected
  /// value of `attribute` is looked up only while nobody is named.
  func identity(in context: inout NodeContext, by attribute: String) async throws -> UserRecord? {
    if let username = context.state.username {
      return LoginName.isPossible(username) ? try await user(in: &context) : nil
    }
    return try await identity(attribute, is: context.state.objectAttributes[attribute], context)
  }

  /// The only account whose attribute has the value; `nil` for none and for several.
  func identity(
    _ attribute: String, is value: JSONValue?, _ context: NodeContext
  ) async throws -> UserRecord? {
    guard let text = value?.stringValue, !text.isEmpty, let pointer = JSONPointer(attribute) else {
      return nil
    }
    let search = IdentitySearch(
      filter: .comparison(pointer, .equal, .string(text)), store: store, realm: context.request.realm,
      object: ManagedUsers.searched)
    guard attribute == ManagedAttribute.mail else {
      let found = try await search.page(after: nil, limit: 2)
      return found.users.count == 1 && found.next == nil ? found.users[0] : nil
    }
    // An address that was only written into an account does not say whose it is, and must not keep its owner from being found.
    let found = try await search.page(after: nil, limit: Self.mostOfOneAddress)
    guard found.next == nil else { return nil }
    let owners = found.users.filter { MailState($0).counts(text) }
    return owners.count == 1 ? owners[0] : nil
  }
}

extension NodeDefinition {
  /// The attribute by which nodes find the identity when the journey has named nobody.
  func identityAttribute() throws(JourneyFileError) -> String {
    let attribute = try attribute("identityAttribute", default: ManagedAttribute.userName)
    guard attribute.names.count == 1 else { throw wrong("identityAttribute", "must name an attribute") }
    return attribute.names[0]
  }

  /// Where the account has its mail address.
  func mailAttribute() throws(JourneyFileError) -> JSONPointer {
    try attribute("emailAttribute", default: ManagedAttribute.mail)
  }

  /// The place of an attribute, whose name the file must have unless there is a default.
  func attribute(_ property: String, default standard: String = "") throws(JourneyFileError) -> JSONPointer {
    guard let pointer = JSONPointer(try string(property, default: standard)) else {
      throw wrong(property, "must name an attribute")
    }
    return pointer
  }
}

extension NodeContext {
  /// This run as an actor that changes accounts.
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

  /// The most addresses that one run proves.
  private static let mostProven = 5

  /// Mail addresses at which the person has opened a link, or that a provider vouches for, in the form of ``MailState/key(_:)``.
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
