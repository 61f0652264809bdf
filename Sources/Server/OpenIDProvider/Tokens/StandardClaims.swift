package import StrictJSON

/// The claims of each scope (OpenID Connect Core §5.4), and the attributes of an identity that they come from.
package enum StandardClaims {
  /// All scopes that this server gives a meaning.
  package static let scopes = ["openid", "profile", "email", "address", "phone", "offline_access"]

  private static let byScope: KeyValuePairs<String, [(claim: String, attributes: [String])]> = [
    "profile": [
      ("name", ["cn", "displayName"]), ("given_name", ["givenName"]), ("family_name", ["sn"]),
      ("preferred_username", ["username"]), ("locale", ["preferredLocale"]), ("zoneinfo", ["zoneinfo"]),
    ],
    "email": [("email", ["mail"])],
    "phone": [("phone_number", ["telephoneNumber"])],
    "address": [
      ("street_address", ["postalAddress", "street"]), ("locality", ["city", "l"]),
      ("region", ["stateProvince", "st"]), ("postal_code", ["postalCode"]), ("country", ["country", "c"]),
    ],
  ]

  package static let claims = byScope.flatMap { scope, claims in
    switch scope {
    case "address": ["address"]
    case "email": claims.map(\.claim) + ["email_verified"]
    default: claims.map(\.claim)
    }
  }

  /// The claims of `scopes` that the identity has a text for.
  ///
  /// - Parameter isMailConfirmed: whether the person has opened a link that was sent to the address: `email_verified`.
  package static func claims(
    of scopes: [String], identity: JSONObject, isMailConfirmed: Bool = false
  ) -> JSONObject {
    var result = JSONObject()
    for (scope, claims) in byScope where scopes.contains(scope) {
      var found = JSONObject()
      for (claim, attributes) in claims {
        if let text = attributes.lazy.compactMap({ text(identity[$0]) }).first {
          found[claim] = .string(text)
        }
      }
      if found["email"] != nil { found["email_verified"] = .bool(isMailConfirmed) }
      if scope == "address" {
        if !found.isEmpty { result["address"] = .object(found) }
      } else {
        result.merge(found)
      }
    }
    return result
  }

  /// The text of an attribute, the first one of several.
  private static func text(_ value: JSONValue?) -> String? {
    let text = value?.stringValue ?? value?[0]?.stringValue
    return text?.isEmpty == false ? text : nil
  }
}
