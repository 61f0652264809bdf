/// Who is signed in with OpenID Connect.
public protocol User: Sendable {
  /// Valid tokens: those that are kept, or new ones in the place of expired ones.
  func token() async -> Result<Token, OidcError>

  /// New tokens, whether or not the old ones are still valid.
  func refresh() async -> Result<Token, OidcError>

  /// Has the server revoke the tokens, and forgets them.
  func revoke() async

  /// What the server tells of the person.
  ///
  /// - Parameter cache: Whether an earlier answer will do.
  func userinfo(cache: Bool) async -> Result<UserInfo, OidcError>

  /// Ends the session, and forgets it and the tokens.
  func logout() async
}

/// What the server tells of a person: claims by name (OpenID Connect Core 1.0 §5.3.2).
public typealias UserInfo = [String: any Sendable]
