internal import BindingFormats
internal import StrictJSON

/// An app's own claims, checked: no reserved names, and only values that JSON can express.
package struct CustomClaims {
  /// The claims as they go into the token, sorted by name.
  let json: JSONObject

  /// The names that only the proof itself may use.
  ///
  /// `platform` is not among them: the guides' examples set it, so an app's value replaces the proof's. The server does not rely
  /// on it in a bound key's signature. `txn` states that the transaction was shown.
  private static let reserved: Set<String> = [
    Constants.sub, Constants.exp, Constants.iat, Constants.nbf, Constants.iss, Constants.challenge,
    ProofClaim.transaction,
  ]

  /// `claims` without the names that the proof keeps for itself.
  package static func withoutReserved(_ claims: [String: Any]) -> [String: Any] {
    claims.filter { !reserved.contains($0.key) }
  }

  /// - Throws: ``DeviceBindingError/invalidClaim``
  init(_ claims: [String: Any]) throws {
    guard Self.reserved.isDisjoint(with: claims.keys), let json = JSONValue(any: claims)?.objectValue else {
      throw DeviceBindingError.invalidClaim
    }
    self.json = json
  }
}
