/// A person who is signed in with OpenID Connect.
public protocol User: Sendable {
  /// Valid tokens: the stored ones, or new ones when those have expired.
  func token() async -> Result<Token, OidcError>

  /// New tokens, whether or not the old ones are still valid.
  func refresh() async -> Result<Token, OidcError>

  /// Revokes the tokens on the server, and deletes them.
  func revoke() async

  /// The server's information about the person.
  ///
  /// - Parameter cache: Whether an earlier answer may be returned.
  func userinfo(cache: Bool) async -> Result<UserInfo, OidcError>

  /// Ends the session, and deletes it and the tokens.
  func logout() async
}

/// The server's information about a person: claims by name (OpenID Connect Core 1.0 §5.3.2).
public typealias UserInfo = [String: any Sendable]
