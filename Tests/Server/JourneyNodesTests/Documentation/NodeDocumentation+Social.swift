import JourneyNodes
import StrictJSON

/// The nodes of ``NodeLibrary/social(_:)``.
extension NodeDocumentation {
  private static let choice = "chooses the [configured provider](federation.md#older-social-nodes)"
  private static let compared =
    "compared with the configured provider's, which counts; a warning says where they differ"

  private static let properties = [
    "provider": "\(choice), if none has the client id", "clientId": choice, "issuer": compared,
    "authorizeEndpoint": compared, "tokenEndpoint": compared, "userInfoEndpoint": compared,
    "redirectURI": compared, "scopeString": compared,
    "authenticationIdKey": "read and without effect: the provider's settings say what identifies people",
    "cfgAccountMapperConfiguration":
      "read and without effect: accounts are found by provider and person; a warning names what else the file has",
    "cfgAttributeMappingConfiguration":
      "claims and the attributes that they become; the default transformation, if empty. Addresses and numbers count only if the "
      + "provider says that they are verified",
    "saveUserAttributesToSession": "whether these attributes become properties of the session",
  ]

  private static func social(_ title: String) -> NodeDocumentation {
    .init(
      title,
      "Sends the person to a configured provider, verifies who comes back, and finds the account that is linked with them. Who "
        + "declines ends the journey.",
      properties)
  }

  static let social: [String: NodeDocumentation] = [
    "SocialGoogleNode": social("Social Google"), "SocialFacebookNode": social("Social Facebook"),
    "SocialNode": social("OAuth 2.0"), "SocialOpenIdConnectNode": social("OpenID Connect"),
    "SocialOAuthIgnoreProfileNode": .init(
      "Social Ignore Profile",
      "Goes on with an account, and fails without: sessions are for accounts only."),
  ]
}
