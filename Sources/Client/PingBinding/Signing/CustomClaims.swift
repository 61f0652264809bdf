internal import StrictJSON

/// An app's own claims, checked: no reserved names, and only values that JSON can express.
struct CustomClaims {
  /// As they go into the token, sorted by name.
  let json: JSONObject

  /// - Throws: ``DeviceBindingError/invalidClaim``
  init(_ claims: [String: Any]) throws {
    guard ReservedClaims.names.isDisjoint(with: claims.keys), let json = JSONValue(any: claims)?.objectValue
    else {
      throw DeviceBindingError.invalidClaim
    }
    self.json = json
  }
}
