internal import HTTPTypes
package import Hummingbird
internal import PageTemplates
package import ServerHTTP

extension PageSite: RefusalWriter {
  package func response(to request: Request, refusing answer: ErrorResponse, requestID: String) -> Response {
    let page = Self.isForPerson(request) ? errorPage(answer, to: request, requestID: requestID) : nil
    return page ?? self.answer(answer, to: request)
  }

  /// Whether a person reads the answer in a browser: the request asks for HTML, and not for one of the interfaces.
  private static func isForPerson(_ request: Request) -> Bool {
    let path = request.uri.path
    guard !path.hasPrefix("/am/json"), !path.hasPrefix("/am/oauth2") else { return false }
    return request.headers[.accept]?.contains("text/html") == true
  }

  /// The error page for a person; `nil` when even that cannot be shown.
  ///
  /// It says what to do, in the person's language. The reason for operators is in the log under the number.
  private func errorPage(_ answer: ErrorResponse, to request: Request, requestID: String) -> Response? {
    let (texts, _) = PageVisit.language(request, nil, catalog)
    let root = PageLink.Root(ofPage: request.uri.path, below: sessions.baseAddress.basePath.text)
    let (title, message) = Self.words(for: answer, texts)
    let html = try? templates.html(
      .error,
      [
        "title": .text(title), "brand": "Sealring", "message": .text(message),
        "detail": .optional(
          answer.status.kind == .serverError ? texts["errors.number", ["number": requestID]] : nil),
        "homeLink": .link(PageLink(root: root)),
        "styleLink": .link(PageLink(root: root, path: ["assets", "pages.css"])),
      ], texts: texts)
    guard let html else { return nil }
    var response = Self.answer(html, status: answer.status)
    for field in answer.headers { response.headers.append(field) }
    return response
  }

  /// The error for a program. People read its message, too, so it is in the request's language where the server has the words, else in
  /// English. Everything else is the same in every language.
  private func answer(_ answer: ErrorResponse, to request: Request) -> Response {
    let texts = catalog.choose(AcceptedLanguages.wanted(by: request))
    guard texts.language != "en" else {
      return .json(answer.body, status: answer.status, headers: answer.headers)
    }
    var translated = answer
    translated.message =
      answer.wording.isEmpty
      ? catalog.message(answer.message, in: texts)
      : answer.wording.map { texts[$0] }.joined(separator: " ")
    if translated.message != answer.message { translated.headers[.contentLanguage] = texts.language }
    return .json(translated.body, status: answer.status, headers: translated.headers)
  }

  private static func words(for answer: ErrorResponse, _ texts: Texts) -> (title: String, message: String) {
    switch answer.status {
    case .unauthorized, .forbidden: (texts["errors.forbidden"], texts["errors.forbiddenText"])
    case .notFound, .methodNotAllowed: (texts["errors.notFound"], texts["errors.notFoundText"])
    case .tooManyRequests:
      (
        texts["errors.tooMany"],
        texts["errors.tooManyText", ["seconds": answer.headers[.retryAfter] ?? "60"]]
      )
    case .serviceUnavailable: (texts["errors.unavailable"], texts["errors.unavailableText"])
    case _ where answer.status.kind == .serverError: (texts["errors.failed"], texts["errors.failedText"])
    default: (texts["errors.badRequest"], texts["errors.badRequestText"])
    }
  }
}

extension Texts {
  package subscript(wording: ErrorResponse.Wording) -> String { self[wording.key, wording.values] }
}
