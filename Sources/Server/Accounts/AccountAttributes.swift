package import StrictJSON

/// How much an account may have: every look at it reads all of this.
package enum AccountAttributes {
  /// Most attributes and mail addresses of one account, together.
  package static let maximumCount = 100

  /// Most bytes of JSON that attributes and mail addresses of one account take.
  package static let maximumBytes = 32 << 10

  /// What is too much; `nil` when nothing is.
  package static func excess(_ attributes: JSONObject, mail: [String]) -> String? {
    guard attributes.count + mail.count <= maximumCount else {
      return "An account has at most \(maximumCount) attributes and mail addresses."
    }
    let bytes = attributes.serialized.count + mail.reduce(0) { $0 + $1.utf8.count }
    return bytes <= maximumBytes ? nil : "The attributes of an account take at most \(maximumBytes) bytes."
  }
}
