internal import HTTPTypes
package import Hummingbird

extension AcceptedLanguages {
  /// The languages that the request asks for: the parameter `locale`, then `Accept-Language`.
  package static func wanted(by request: Request) -> [String] {
    wanted(by: request, try? QueryParameters(request.uri.query))
  }

  /// The same for a query that has been read already.
  package static func wanted(by request: Request, _ query: QueryParameters?) -> [String] {
    let accepted = parse(request.headers[.acceptLanguage])
    guard let locale = query?["locale"] else { return accepted }
    return parse(locale.replacing("_", with: "-")) + accepted
  }
}
