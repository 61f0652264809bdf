package import BindingFormats
internal import HTTPTypes
package import Hummingbird
internal import JourneyNodes

extension PersistentCookies {
  /// Makes the browser forget what would sign `account` in again: who signs out wants to be asked.
  package func clearing(
    in request: Request, of account: UniversalID, _ attributes: CookieAttributes
  ) -> [HTTPField] {
    clearing(in: request.headers[values: .cookie].joined(separator: "; "), of: account, attributes)
  }

  /// The same for a `Cookie` header.
  package func clearing(
    in cookies: String?, of account: UniversalID, _ attributes: CookieAttributes
  ) -> [HTTPField] {
    names(in: cookies, of: account)
      .map { HTTPField(name: .setCookie, value: attributes.clearing($0)) }
  }
}
