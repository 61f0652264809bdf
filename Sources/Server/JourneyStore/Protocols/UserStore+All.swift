extension UserStore {
  /// All users of the realm, by name. For tools; a server that answers requests takes them in pages.
  public func users(realm: String) async throws -> [UserRecord] {
    try await users(realm: realm, after: nil, limit: .max)
  }
}
