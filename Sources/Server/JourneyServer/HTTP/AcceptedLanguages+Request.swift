internal import HTTPTypes
internal import Hummingbird

extension AcceptedLanguages {
  /// What the request asks for: the parameter `locale`, then `Accept-Language`.
  static func wanted(by request: Request) -> [String] {
    let accepted = parse(request.headers[.acceptLanguage])
    guard request.uri.query?.contains("locale=") == true,
      let locale = (try? QueryParameters(request.uri.query))?["locale"]
    else { return accepted }
    return parse(locale.replacing("_", with: "-")) + accepted
  }
}
