package import BindingFormats
internal import JourneyStore

/// How URLs and bodies name an account.
package enum AccountName {
  /// The account that a decoded path segment names: a login name, or a universal id of the same realm.
  ///
  /// - Throws: 404 for the universal id of another realm, 400 for an invalid name.
  package static func account(_ text: String, realm: String) throws(ErrorResponse) -> UniversalID {
    let id = UniversalID(text)
    guard id?.isIn(realm: realm) ?? true else { throw .noSuchUser }
    let name = id?.username ?? text
    if let fault = LoginName.faultInAddress(name) { throw .badRequest(fault) }
    return UniversalID(username: name, realm: realm)
  }
}
