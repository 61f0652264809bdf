internal import Foundation

/// A request after it was sent: its setters do nothing.
final class SentRequest: HttpRequest {
  private let sentURL: String?
  private let method: HttpMethod
  private let headers: [String: String]

  init(_ request: any HttpRequest) {
    sentURL = request.url
    method = request.getMethod()
    headers = request.getHeaders()
  }

  var url: String? {
    get { sentURL }
    set {}
  }

  func setParameter(name: String, value: String) {}
  func setHeader(name: String, value: String) {}
  func setCookie(cookie: String) {}
  func setCookies(cookies: [String]) {}
  func get() {}
  func post(json: [String: Any]) {}
  func put(json: [String: Any]) {}
  func delete(json: [String: Any]) {}
  func post(contentType: String, body: String) {}
  func put(contentType: String, body: String) {}
  func delete(contentType: String, body: String) {}
  func form(parameters: [String: String]) {}
  func setMethod(_ method: HttpMethod) {}
  func setBody(_ body: Data?) {}
  func getMethod() -> HttpMethod { method }

  func getHeader(name: String) -> String? {
    headers.first { $0.key.lowercased() == name.lowercased() }?.value
  }

  func getHeaders() -> [String: String] { headers }
}
