internal import BindingFormats
internal import JourneyStore

/// How URLs and bodies name an account.
enum AccountName {
  /// Why `name` cannot be a login name; `nil` when it can.
  static func fault(in name: String) -> String? { LoginName.fault(in: name) }

  /// The account that a decoded path segment names: a login name, or a universal id of the same realm.
  ///
  /// - Throws: 404 for the universal id of another realm, 400 for what can be no name.
  static func account(_ text: String, realm: String) throws(ErrorResponse) -> UniversalID {
    if let id = UniversalID(text) {
      guard id.isIn(realm: realm) else {
        throw .notFound("There is no such user in this realm.")
      }
      return UniversalID(username: id.username, realm: realm)
    }
    if let fault = fault(in: text) { throw .badRequest(fault) }
    return UniversalID(username: text, realm: realm)
  }
}
