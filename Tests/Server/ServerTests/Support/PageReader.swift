import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import PageTemplates
import Testing

@testable import Operations
@testable import ServerHTTP

/// The codes of all languages that pages speak.
let pageLanguages = (try? TextCatalog())?.languages.map(\.language) ?? []

/// A page as a browser gets it.
struct ReadPage: Sendable {
  let status: Int
  let headers: HTTPFields
  let html: String

  /// Where a redirect leads.
  var location: String? { headers[.location] }

  /// The value of the first hidden field of that name.
  func field(_ name: String) -> String? {
    html.components(separatedBy: #"name="\#(name)" value=""#).dropFirst().first?
      .components(separatedBy: "\"").first
  }

  func contains(_ text: String) -> Bool { html.contains(text) }
}

/// Somebody with a browser: keeps cookies, and sends forms as a browser does.
final class PageReader: Sendable {
  private let server: LocalServer
  private let jar: Locked<[String: String]>
  private let language: String

  /// - Parameter token: of the session; `nil` for nobody.
  init(_ server: LocalServer, token: String?, language: String = "en") {
    self.server = server
    self.language = language
    jar = Locked(token.map { ["iPlanetDirectoryPro": $0] } ?? [:])
  }

  /// Signed in with the password.
  static func signedIn(
    _ name: String, _ server: LocalServer, realm: String = LocalServer.alpha, language: String = "en"
  ) async throws -> PageReader {
    PageReader(server, token: try await server.signIn(name, realm: realm), language: language)
  }

  var cookies: [String: String] { jar.withLock { $0 } }

  func get(_ path: String, headers: [String: String] = [:]) async throws -> ReadPage {
    try await send(.get, path, body: nil, headers)
  }

  /// Sends the form of a page: its token, and `fields`.
  ///
  /// - Parameter headers: in place of what a browser sends from a page of this server.
  func post(
    _ path: String, token: String?, _ fields: [String: String] = [:],
    headers: [String: String] = ["Sec-Fetch-Site": "same-origin"]
  ) async throws -> ReadPage {
    var parameters = URLComponents()
    parameters.queryItems = fields.merging(token.map { ["token": $0] } ?? [:]) { own, _ in own }
      .map { URLQueryItem(name: $0.key, value: $0.value) }
    let body = (parameters.percentEncodedQuery ?? "").replacing("+", with: "%2B")
    return try await send(
      .post, path, body: ByteBuffer(string: body),
      headers.merging(["Content-Type": "application/x-www-form-urlencoded"]) { own, _ in own })
  }

  /// Reads the page, and sends a form with its token to `target`, or to the page itself.
  func submit(_ page: String, to target: String? = nil, _ fields: [String: String] = [:]) async throws
    -> ReadPage
  {
    let read = try await get(page)
    let token: String = try #require(read.field("token"))
    return try await post(target ?? page, token: token, fields)
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, body: ByteBuffer?, _ headers: [String: String]
  ) async throws -> ReadPage {
    var fields: HTTPFields = [
      .accept: "text/html,application/xhtml+xml,*/*;q=0.8", .acceptLanguage: language,
    ]
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    let cookies = cookies
    if !cookies.isEmpty { fields[.cookie] = cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ") }
    let answer = try await server.client.executeRequest(
      uri: path, method: method, headers: fields, body: body)
    for line in answer.headers[values: .setCookie] {
      let pair = line.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
      guard pair.count == 2 else { continue }
      let isCleared = line.contains("Expires=Thu, 01 Jan 1970")
      jar.withLock { $0[pair[0]] = isCleared ? nil : pair[1] }
    }
    return ReadPage(status: answer.status.code, headers: answer.headers, html: String(buffer: answer.body))
  }
}
