public import BindingFormats

/// What an account can sign in with beside its password.
public protocol FactorStore: Sendable {
  /// Whether the user has a bound device, a WebAuthn credential, a push device or an authenticator for one-time codes.
  func hasFactors(of account: UniversalID) async throws -> Bool
}
