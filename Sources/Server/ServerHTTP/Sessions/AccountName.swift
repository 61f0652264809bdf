package import BindingFormats
internal import JourneyStore

/// How URLs and bodies name an account.
package enum AccountName {
  /// The account that a decoded path segment names: a login name, or a universal id of the same realm.
  ///
  /// - Throws: 404 for the universal id of another realm, 400 for an invalid name.
  package static func account(_ text: String, realm: String) throws(ErrorResponse) -> UniversalID {
    if let id = UniversalID(text) {
      guard id.isIn(realm: realm) else { throw .noSuchUser }
      return UniversalID(username: id.username, realm: realm)
    }
    if let fault = LoginName.faultInAddress(text) { throw .badRequest(fault) }
    return UniversalID(username: text, realm: realm)
  }
}
