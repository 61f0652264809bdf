/// The methods by which a user signed in, as RFC 8176 names them (`amr`).
package enum AuthenticationMethods {
  private static let byFactor: KeyValuePairs = [
    "password": "pwd", "one-time-code": "otp", "recovery-code": "otp", "bound-key": "pop", "passkey": "pop",
    "push": "pop",
  ]

  /// - Parameter factors: as journeys name them.
  package static func values(of factors: [String]) -> [String] {
    var values: [String] = []
    for (factor, value) in byFactor where factors.contains(factor) && !values.contains(value) {
      values.append(value)
    }
    return values.count > 1 ? values + ["mfa"] : values
  }
}
