/// The reason for refusing a client's request, as clients read it (RFC 6749 §4.1.2.1, §5.2 and specifications that extend it).
package struct OAuthError: Error, Sendable, Hashable {
  package enum Code: String, Sendable, Hashable {
    case invalidRequest = "invalid_request"
    case invalidClient = "invalid_client"
    case invalidGrant = "invalid_grant"
    case unauthorizedClient = "unauthorized_client"
    case unsupportedGrantType = "unsupported_grant_type"
    case unsupportedResponseType = "unsupported_response_type"
    /// RFC 7009 §2.2.1.
    case unsupportedTokenType = "unsupported_token_type"
    case invalidScope = "invalid_scope"
    case accessDenied = "access_denied"
    case invalidToken = "invalid_token"
    case insufficientScope = "insufficient_scope"
    /// OpenID Connect Core §3.1.2.6.
    case loginRequired = "login_required"
    case consentRequired = "consent_required"
    case requestNotSupported = "request_not_supported"
    case unmetAuthenticationRequirements = "unmet_authentication_requirements"
    /// RFC 9449 §5, §8.
    case invalidDPoPProof = "invalid_dpop_proof"
    case useDPoPNonce = "use_dpop_nonce"
    /// CIBA §11.
    case authorizationPending = "authorization_pending"
    case slowDown = "slow_down"
    case expiredToken = "expired_token"
    case unknownUser = "unknown_user_id"
    case invalidBindingMessage = "invalid_binding_message"
  }

  package var code: Code

  /// `error_description`: a sentence for the client's developer, of printable ASCII.
  package var text: String

  /// What the operator reads, when it is more than ``text``.
  package var cause: String?

  package init(_ code: Code, _ text: String, cause: String? = nil) {
    self.code = code
    self.text = text
    self.cause = cause
  }
}
