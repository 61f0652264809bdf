internal import JourneyEngine
internal import StrictJSON

extension FederationServices {
  /// The attribute of an account that names the people at providers who may sign in as it.
  static let linkAttribute = "aliasList"

  /// The account that is linked with `alias`; `nil` when there is none.
  ///
  /// - Throws: ``NodeError`` when several are: then none of them is meant.
  func account(linkedWith alias: String, realm: String) async throws -> JSONObject? {
    guard let identities else { return nil }
    let found = try await identities.query(
      resource(realm), filter: "/\(Self.linkAttribute) eq \(alias.quoted)", fields: [], limit: 2, realm: realm
    )
    guard found.count < 2 else { throw NodeError("two accounts are linked with one person at a provider") }
    return found.first
  }

  /// The people at providers who may sign in as the journey's user.
  func links(of context: NodeContext) async throws -> [String] {
    guard let identities, let name = context.state.username else { return [] }
    let found = try await identities.query(
      resource(context.request.realm), filter: "/userName eq \(name.quoted)",
      fields: [Self.linkAttribute], limit: 1, realm: context.request.realm)
    return found.first?[Self.linkAttribute]?.arrayValue?.compactMap(\.stringValue) ?? []
  }

  private func resource(_ realm: String) -> String { "managed/user" }
}
