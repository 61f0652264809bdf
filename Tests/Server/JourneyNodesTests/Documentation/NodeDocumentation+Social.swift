import JourneyNodes
import StrictJSON

/// The nodes of ``NodeLibrary/social(_:)``.
extension NodeDocumentation {
  private static let choice = "chooses the [configured provider](federation.md#older-social-nodes)"
  private static let compared =
    "only compared: the configured provider's value counts; a warning reports differences"

  private static let properties = [
    "provider": "\(choice) by name, if none has the `clientId`", "clientId": choice, "issuer": compared,
    "authorizeEndpoint": compared, "tokenEndpoint": compared, "userInfoEndpoint": compared,
    "redirectURI": compared, "scopeString": compared,
    "authenticationIdKey": "has no effect: the provider's settings say what identifies people",
    "cfgAccountMapperConfiguration":
      "has no effect: accounts are found by provider and person; a warning names what else the file has",
    "cfgAttributeMappingConfiguration":
      "claims and the attributes that they become; if empty, the default transformation. Mail addresses and "
      + "phone numbers count only if the provider says that they are verified",
    "saveUserAttributesToSession": "whether these attributes become properties of the session",
  ]

  private static func social(_ title: String) -> NodeDocumentation {
    .init(
      title,
      "Sends the person to a configured provider, verifies the provider's answer, and finds the account "
        + "linked with that person. If the person declines, the journey ends.",
      properties)
  }

  static let social: [String: NodeDocumentation] = [
    "SocialGoogleNode": social("Social Google"), "SocialFacebookNode": social("Social Facebook"),
    "SocialNode": social("OAuth 2.0"), "SocialOpenIdConnectNode": social("OpenID Connect"),
    "SocialOAuthIgnoreProfileNode": .init(
      "Social Ignore Profile",
      "Continues if the journey has an account, and fails otherwise: only accounts have sessions."),
  ]
}
