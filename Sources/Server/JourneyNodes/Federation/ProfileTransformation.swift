public import JourneyEngine
public import StrictJSON

/// Makes an account's attributes of a provider's claims by a script of the operator's.
public protocol ProfileTransforming: Sendable {
  /// - Parameters:
  ///   - script: the transformation.
  ///   - profile: the claims, verified.
  /// - Returns: the attributes, such as `userName`, `givenName`, `mail`.
  func transform(_ profile: JSONObject, by script: JourneyScript, realm: String) async throws -> JSONObject
}

/// The default transformation: what the standard claims are called in an account.
enum ProfileTransformation {
  private static let names = [
    ("preferred_username", "userName"), ("given_name", "givenName"), ("family_name", "sn"), ("name", "cn"),
    ("locale", "preferredLocale"), ("phone_number", "telephoneNumber"),
  ]

  /// A mail address is taken over only if the provider says that it is the person's.
  static func attributes(of claims: JSONObject) -> JSONObject {
    var attributes = JSONObject()
    for (claim, name) in names {
      guard let text = claims[claim]?.stringValue, (1...256).contains(text.utf8.count) else { continue }
      if claim == "phone_number", claims["phone_number_verified"] != true { continue }
      attributes[name] = .string(text)
    }
    if let mail = claims["email"]?.stringValue, mail.utf8.count <= 320, claims["email_verified"] == true {
      attributes["mail"] = .string(mail)
    }
    return attributes
  }

  /// What links an account with a person at a provider: issuer and subject, which no two people share. Issuers have no blanks, so
  /// that no subject can be made to look like another issuer's.
  static func alias(issuer: String, subject: String) -> String { "\(issuer) \(subject)" }
}
