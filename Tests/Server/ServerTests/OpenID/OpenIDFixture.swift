import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import JourneyStore
import NIOCore
import ProofFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import OpenIDProvider
@testable import ServerHTTP

/// A server with clients: `app` (public), `web` (a secret, asks for consent), `bank` (signs assertions), `other` (a secret), and for
/// devices `tv` (public) and `panel` (a secret).
struct OpenIDFixture: Sendable {
  let local: LocalServer
  let bankKey: P256.Signing.PrivateKey

  /// How requests address the realm.
  var address = Address.long

  /// The cookie by which the server knows the browser again whose requests these are; another value is another browser.
  let waitingCookie = Locked<String?>(nil)

  /// A form of a realm's address, with what the specification calls its issuer.
  struct Address: Sendable, CustomTestStringConvertible {
    var path: String
    var realm: String?
    var issuer: String

    static let long = Address(path: OpenIDFixture.path, issuer: OpenIDFixture.issuer)
    var testDescription: String { path + (realm.map { "?realm=\($0)" } ?? "") }

    /// Where a request for `resource` goes.
    func uri(_ resource: String, _ parameters: [String: String] = [:]) -> String {
      let query = OpenIDFixture.form(parameters.merging(realm.map { ["realm": $0] } ?? [:]) { $1 })
      return path + resource + (query.isEmpty ? "" : "?\(query)")
    }
  }

  /// The same server, addressed in that form.
  func at(_ address: Address) -> OpenIDFixture {
    var other = self
    other.address = address
    return other
  }

  static let issuer = "https://id.example.com/am/oauth2/realms/root/realms/alpha"
  static let path = "/am/oauth2/realms/root/realms/alpha"
  static let appAddress = "https://app.example.com/cb"
  static let webAddress = "https://web.example.com/cb?x=1"
  static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
  static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
  static let webSecret = "web secret of 256 bits"

  static func run(
    _ change: (inout JSONObject) -> Void = { _ in }, on setup: TestingSetup = .router,
    configure: (inout ServerConfiguration) -> Void = { _ in },
    body: @Sendable (OpenIDFixture) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    let key = P256.Signing.PrivateKey()
    var file = try clients(bank: key)
    change(&file)
    try folder.write(file.serialized, to: "clients.json")
    try await LocalServer.run(setup) { configuration in
      configuration.publicURL = "https://id.example.com/am"
      configuration.openIDClients = folder.url.appending(path: "clients.json")
      // Tests tell clients themselves.
      configuration.logoutNoticeInterval = .seconds(3600)
      configure(&configuration)
    } body: {
      try await body(OpenIDFixture(local: $0, bankKey: key))
    }
  }

  private static func clients(bank key: P256.Signing.PrivateKey) throws -> JSONObject {
    let jwk = try key.publicKey.jwk(keyID: "bank-1")
    let hash = JSONValue.string(Base64URL.encode(SHA256.hash(data: Array(webSecret.utf8))))
    return [
      "acr_journeys": [
        "urn:strong": "TwoSteps", "urn:mfa": "StepUp", "urn:level": ["journey": "StepUp", "level": 2],
      ],
      "clients": [
        [
          "client_id": "app", "client_name": "The app", "token_endpoint_auth_method": "none",
          "redirect_uris": [.string(appAddress), "com.example.app:/cb"],
          "post_logout_redirect_uris": ["https://app.example.com/bye"],
          "scope": "openid profile email offline_access", "require_consent": false,
        ],
        [
          "client_id": "web", "client_name": "The <shop>", "client_secret_sha256": hash,
          "redirect_uris": [.string(webAddress)], "scope": "openid email am-introspect-all-tokens",
          "access_token_format": "opaque", "backchannel_logout_uri": "https://web.example.com/logout",
        ],
        [
          "client_id": "bank", "token_endpoint_auth_method": "private_key_jwt",
          "jwks": ["keys": [.object(jwk)]], "redirect_uris": ["https://bank.example.com/cb"],
          "require_consent": false, "require_pushed_authorization_requests": true,
          "grant_types": [
            "authorization_code", "refresh_token", "urn:openid:params:grant-type:ciba",
          ],
        ],
        [
          "client_id": "other", "client_secret_sha256": hash, "require_consent": false,
          "redirect_uris": ["https://other.example.com/cb"],
        ],
        [
          "client_id": "tv", "client_name": "The <TV>", "token_endpoint_auth_method": "none",
          "scope": "openid email",
          "grant_types": ["refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
        ],
        [
          "client_id": "panel", "client_secret_sha256": hash,
          "grant_types": ["urn:ietf:params:oauth:grant-type:device_code"],
        ],
      ],
    ]
  }

  // MARK: Requests

  static let appRequest = [
    "client_id": "app", "redirect_uri": appAddress, "response_type": "code", "scope": "openid email",
    "state": "a state", "nonce": "a nonce", "code_challenge": challenge, "code_challenge_method": "S256",
  ]

  static func basic(_ id: String, _ secret: String = webSecret) -> [String: String] {
    ["Authorization": "Basic " + Data("\(id):\(secret.replacing(" ", with: "+"))".utf8).base64EncodedString()]
  }

  static func form(_ parameters: [String: String]) -> String {
    PercentEncoding.form(parameters)
  }

  func get(
    _ path: String, _ parameters: [String: String] = [:], session: String? = nil,
    headers: [String: String] = [:]
  ) async throws -> Page {
    var fields = HTTPFields()
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    let cookies = [session.map { "iPlanetDirectoryPro=\($0)" }, waitingCookie.withLock { $0 }].compactMap(
      \.self)
    if !cookies.isEmpty { fields[.cookie] = cookies.joined(separator: "; ") }
    let page = Page(
      try await local.client.executeRequest(
        uri: address.uri(path, parameters), method: .get, headers: fields, body: nil))
    let given = page.headers[values: .setCookie].first { $0.contains("sealring-authorize=") }
    if let given { waitingCookie.withLock { $0 = String(given.prefix { $0 != ";" }) } }
    return page
  }

  func post(
    _ path: String, _ parameters: [String: String], session: String? = nil, headers: [String: String] = [:]
  ) async throws -> Page {
    var fields: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    if let session { fields[.cookie] = "iPlanetDirectoryPro=\(session)" }
    return Page(
      try await local.client.executeRequest(
        uri: address.uri(path), method: .post, headers: fields,
        body: ByteBuffer(string: Self.form(parameters))))
  }

  /// Where a request leads a browser that is signed in; the parameters of the client's address.
  func authorize(
    _ change: [String: String] = [:], session: String
  ) async throws -> [String: String] {
    let page = try await get(
      "/authorize", Self.appRequest.merging(change) { $1 }.filter { !$1.isEmpty }, session: session)
    #expect(page.status == 302, "\(page.text)")
    return try page.target().parameters
  }

  func code(_ change: [String: String] = [:], session: String) async throws -> String {
    let answer = try await authorize(change, session: session)
    return try #require(answer["code"], "\(answer)")
  }

  func redeem(
    _ code: String, _ change: [String: String] = [:], headers: [String: String] = [:]
  ) async throws -> Page {
    let parameters = [
      "grant_type": "authorization_code", "client_id": "app", "code": code,
      "redirect_uri": Self.appAddress, "code_verifier": Self.verifier,
    ]
    return try await post(
      "/access_token", parameters.merging(change) { $1 }.filter { !$1.isEmpty }, headers: headers)
  }

  func refresh(
    _ token: String, _ change: [String: String] = [:], headers: [String: String] = [:]
  ) async throws -> Page {
    let parameters = ["grant_type": "refresh_token", "client_id": "app", "refresh_token": token]
    return try await post("/access_token", parameters.merging(change) { $1 }, headers: headers)
  }

  /// Tokens of the app, for `ada`.
  func tokens(_ change: [String: String] = [:], session: String) async throws -> JSONValue {
    let page = try await redeem(try await code(change, session: session))
    #expect(page.status == 200, "\(page.text)")
    return page.json
  }

  func userinfo(
    _ token: String, scheme: String = "Bearer", headers: [String: String] = [:]
  ) async throws -> Page {
    try await get("/userinfo", headers: headers.merging(["Authorization": "\(scheme) \(token)"]) { $1 })
  }

  func introspect(_ token: String, as client: String = "web") async throws -> JSONValue {
    try await post("/introspect", ["token": token], headers: Self.basic(client)).json
  }

  /// The claims of a token that a published key verifies.
  func claims(_ token: String?, type: String) async throws -> JSONObject {
    let token = try #require(token)
    let header = try UnverifiedToken(token).header
    #expect(header["typ"]?.stringValue == type)
    let keys = try await get("/connect/jwk_uri").json["keys"]?.arrayValue ?? []
    let key = try #require(keys.first { $0["kid"] == header["kid"] }?.objectValue)
    return try VerifiedToken(token, jwk: key).claims
  }
}

/// What a browser or a client got.
struct Page: Sendable {
  let status: Int
  let headers: HTTPFields
  let text: String
  let json: JSONValue

  init(_ response: TestResponse) {
    status = response.status.code
    headers = response.headers
    text = String(buffer: response.body)
    json = (try? JSONValue(parsing: text)) ?? .null
  }

  subscript(name: String) -> String? { json[name]?.stringValue }
  var error: String? { self["error"] }

  /// The address that the browser is sent to, without its query, and the query's parameters.
  func target() throws -> (address: String, parameters: [String: String]) {
    let location = try #require(headers[.location])
    let parts = location.split(separator: "?", maxSplits: 1)
    return (String(parts[0]), try FormParameters.parse(parts.count > 1 ? String(parts[1]) : ""))
  }

  /// A form's hidden value.
  func hidden(_ name: String) throws -> String {
    let start = try #require(text.range(of: "name=\"\(name)\" value=\""))
    return String(text[start.upperBound...].prefix { $0 != "\"" })
  }
}

extension KeyHolder {
  /// The proof for one request to the realm.
  func header(
    _ method: String = "POST", _ path: String = "/access_token", token: String? = nil, nonce: String? = nil,
    id: String = UUID().uuidString, issuer: String = OpenIDFixture.issuer
  ) async throws -> [String: String] {
    [
      "DPoP": try await proof(
        method: method, url: issuer + path, accessToken: token, nonce: nonce,
        at: LocalServer.morning, id: id)
    ]
  }
}
