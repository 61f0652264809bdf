/// The expected redirect of a request whose address does not contain it: a pushed request (RFC 9126).
package struct RedirectHint: Sendable {
  @TaskLocal package static var current: RedirectHint?

  /// The request's `redirect_uri`.
  package let redirect: String
  /// The request's `state`.
  package let state: String

  package init(redirect: String, state: String) {
    (self.redirect, self.state) = (redirect, state)
  }

  func expected(scheme: String) throws(BrowserError) -> ExpectedRedirect {
    try ExpectedRedirect(redirect: redirect, state: state, scheme: scheme)
  }
}
