internal import HTTPTypes
package import Hummingbird

extension AcceptedLanguages {
  /// What the request asks for: the parameter `locale`, then `Accept-Language`.
  package static func wanted(by request: Request) -> [String] {
    wanted(by: request, try? QueryParameters(request.uri.query))
  }

  /// The same for who has read the query already.
  package static func wanted(by request: Request, _ query: QueryParameters?) -> [String] {
    let accepted = parse(request.headers[.acceptLanguage])
    guard let locale = query?["locale"] else { return accepted }
    return parse(locale.replacing("_", with: "-")) + accepted
  }
}
