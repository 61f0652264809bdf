internal import CEmbeddedFiles

extension PageTemplate {
  /// The pages of OpenID Connect.
  static let consentPages: [PageTemplate] = [
    consent, consentSignOut, consentMessage, deviceCode, deviceQuestion,
  ]

  package static let consent = PageTemplate("consent", .consent_mustache)
  package static let consentSignOut = PageTemplate("consentSignOut", .consentSignOut_mustache)
  package static let consentMessage = PageTemplate("consentMessage", .consentMessage_mustache)
  package static let deviceCode = PageTemplate("deviceCode", .deviceCode_mustache)
  package static let deviceQuestion = PageTemplate("deviceQuestion", .deviceQuestion_mustache)
}
