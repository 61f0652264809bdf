internal import CEmbeddedFiles

extension PageTemplate {
  /// The pages of OpenID Connect.
  static let consentPages: [PageTemplate] = [consent, consentSignOut, consentMessage]

  package static let consent = PageTemplate("consent", .consent_mustache)
  package static let consentSignOut = PageTemplate("consentSignOut", .consentSignOut_mustache)
  package static let consentMessage = PageTemplate("consentMessage", .consentMessage_mustache)
}
