extension PageTemplate {
  /// The pages of OpenID Connect.
  static let consentPages: [PageTemplate] = [consent, consentSignOut, consentMessage]

  package static let consent = PageTemplate("consent", PackageResources.consent_mustache)
  package static let consentSignOut = PageTemplate("consentSignOut", PackageResources.consentSignOut_mustache)
  package static let consentMessage = PageTemplate("consentMessage", PackageResources.consentMessage_mustache)
}
