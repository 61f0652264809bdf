internal import JourneyStore

/// What may name an account, and how URLs write it.
enum AccountName {
  /// Characters with a meaning of their own in distinguished names (RFC 4514 §2.4) or in paths; a name with one would
  /// break the universal id.
  private static let forbidden: Set<Unicode.Scalar> = [",", "=", "+", "<", ">", "#", ";", "\\", "\"", "/"]

  private static let maximumLength = 255

  /// Why `name` cannot be a login name; `nil` when it can.
  static func fault(in name: String) -> String? {
    if name.isEmpty || name.unicodeScalars.count > maximumLength {
      return "A user name has 1 to \(maximumLength) characters."
    }
    if name.unicodeScalars.contains(where: {
      forbidden.contains($0) || $0.properties.generalCategory == .control
    }) {
      return #"A user name has no control characters and none of , = + < > # ; \ " /."#
    }
    if name.first?.isWhitespace == true || name.last?.isWhitespace == true {
      return "A user name begins and ends with a visible character."
    }
    return name == "." || name == ".." ? "A user name is not a path." : nil
  }

  /// The account that a decoded path segment names: a login name, or a universal id of the same realm.
  ///
  /// - Throws: 404 for the universal id of another realm, 400 for what can be no name.
  static func account(_ text: String, realm: String) throws(ErrorResponse) -> UniversalID {
    if let id = UniversalID(text) {
      guard id == UniversalID(username: id.username, realm: realm) else {
        throw .notFound("There is no such user in this realm.")
      }
      return UniversalID(username: id.username, realm: realm)
    }
    if let fault = fault(in: text) { throw .badRequest(fault) }
    return UniversalID(username: text, realm: realm)
  }
}
