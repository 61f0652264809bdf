internal import Accounts
public import Foundation
internal import JourneyEngine
internal import StrictJSON

/// What the nodes for other identity providers work with.
public struct FederationServices: Sendable {
  public var providers: IdentityProviders
  /// Where linked accounts are looked up; `nil` finds none.
  public var identities: (any ManagedObjects)?
  /// Runs the transformations of journeys and providers; `nil` where no scripts are run.
  public var transformer: (any ProfileTransforming)?
  let client: ProviderClient
  let randomBytes: @Sendable (Int) -> [UInt8]

  public init(
    providers: IdentityProviders, identities: (any ManagedObjects)?,
    transformer: (any ProfileTransforming)? = nil,
    transport: any ProviderTransport, clock: @escaping @Sendable () -> Date,
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    self.providers = providers
    self.identities = identities
    self.transformer = transformer
    self.randomBytes = randomBytes
    client = ProviderClient(transport: transport, clock: clock)
  }
}

extension FederationServices {
  /// The attribute of an account that names the people at providers who may sign in as it.
  static let linkAttribute = ManagedAttribute.links

  /// How many accounts whose links differ only in case are compared.
  private static let mostSpellings = 100

  /// The account that is linked with `alias`; `nil` when there is none.
  ///
  /// - Throws: ``NodeError`` when several are linked, because the choice would be arbitrary.
  func account(linkedWith alias: String, realm: String) async throws -> JSONObject? {
    guard let identities else { return nil }
    let found = try await identities.query(
      "managed/user", filter: "/\(Self.linkAttribute) eq \(alias.quoted)", fields: [],
      limit: Self.mostSpellings, realm: realm)
    // The filter folds case. A provider's "BOB" is not "bob", and must not keep "bob" out either.
    let exact = found.filter { account in
      account[Self.linkAttribute]?.arrayValue?.contains { $0.stringValue?.hasSameBytes(as: alias) == true }
        ?? false
    }
    guard exact.count < 2 else { throw NodeError("two accounts are linked with one person at a provider") }
    return exact.first
  }

  /// The people at providers who may sign in as the journey's user.
  func links(of context: NodeContext) async throws -> [String] {
    guard let identities, let name = context.state.username else { return [] }
    let found = try await identities.query(
      "managed/user", filter: "/userName eq \(name.quoted)",
      fields: [Self.linkAttribute], limit: 1, realm: context.request.realm)
    return found.first?[Self.linkAttribute]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  /// Continues as the account that is linked with the person.
  ///
  /// - Returns: `false` when there is none; then ``JourneyState/collect(_:of:at:)`` alone records who the person is.
  /// - Throws: ``NodeError`` when it is another account than the journey's.
  func identify(
    _ person: ProviderClient.Person, at provider: IdentityProvider, _ context: inout NodeContext
  ) async throws -> Bool {
    context.state.transient["socialOAuthData"] = [provider.name: ["rawProfile": .object(person.claims)]]
    let alias = ProfileTransformation.alias(issuer: provider.issuer, subject: person.subject)
    guard let account = try await account(linkedWith: alias, realm: context.request.realm) else {
      return false
    }
    guard let name = account["userName"]?.stringValue ?? account["username"]?.stringValue else {
      throw NodeError("the account that is linked with the person has no userName")
    }
    // A provider must not turn a journey that has identified one account to another.
    if let earlier = context.state.username, earlier.lowercased() != name.lowercased() {
      throw NodeError("the person at the provider is linked with another account than the journey's")
    }
    context.state.username = name
    context.state.shared[StateKey.id] = account["_id"]
    if let id = account["_id"]?.stringValue { context.state.noteAccount(id) }
    // A provider that does not say when the person signed in must not make the sign-in look fresh. A later proof of the run itself stays
    // the latest.
    let moment = person.authenticatedAt ?? Date(timeIntervalSince1970: 0)
    context.state.noteAuthentication(at: max(context.state.authenticatedAt ?? moment, moment), by: "provider")
    return true
  }

  /// The outcome of a sign-in at the provider, by whether the person has an account here.
  func outcome(isKnown: Bool, at provider: IdentityProvider, _ context: inout NodeContext) -> NodeResult {
    isKnown
      ? context.outcome(
        Self.accountExists, because: "the account is linked with the person at \(provider.name.quoted)")
      : context.outcome(
        Self.noAccount, because: "nobody is linked with the person at \(provider.name.quoted)")
  }

  static let accountExists = "ACCOUNT_EXISTS"
  static let noAccount = "NO_ACCOUNT"
}

extension JourneyState {
  /// Collects what the person's account is to have, for the node that creates it.
  ///
  /// The server sets the link: neither a script nor a file chooses who signs in by it.
  mutating func collect(
    _ attributes: JSONObject, of person: ProviderClient.Person, at provider: IdentityProvider
  ) {
    shared.objectAttributes.merge(attributes)
    let alias = ProfileTransformation.alias(issuer: provider.issuer, subject: person.subject)
    shared.objectAttributes[FederationServices.linkAttribute] = [.string(alias)]
    if let mail = ProfileTransformation.trusted("email", of: person.claims),
      attributes[ManagedAttribute.mail]?.stringValue == mail
    {
      noteProvenMail(mail)
    }
  }
}
