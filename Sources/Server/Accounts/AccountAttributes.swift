package import StrictJSON

/// Limits of an account's attributes, because each read of the account reads them all.
package enum AccountAttributes {
  /// Most attributes and mail addresses of one account, together.
  package static let maximumCount = 100

  /// Most bytes of JSON that attributes and mail addresses of one account take.
  package static let maximumBytes = 32 << 10

  /// The limit that is exceeded; `nil` when none is.
  package static func excess(_ attributes: JSONObject, mail: [String]) -> String? {
    guard attributes.count + mail.count <= maximumCount else {
      return "An account has at most \(maximumCount) attributes and mail addresses."
    }
    let bytes = attributes.serialized.count + mail.reduce(0) { $0 + $1.utf8.count }
    return bytes <= maximumBytes ? nil : "The attributes of an account take at most \(maximumBytes) bytes."
  }
}
