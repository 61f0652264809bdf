import Foundation
import HTTPTypes
import HummingbirdTesting
import StrictJSON
import Testing

@testable import Assembly
@testable import Operations
@testable import ServerHTTP

@Suite("The session cookie, and what browsers are told of https")
struct CookieTests {
  static let hsts = HTTPField.Name("Strict-Transport-Security")

  private static func loopbackProxy(_ configuration: inout ServerConfiguration) {
    configuration.trustedProxies = (try? AddressBlock("127.0.0.1")).map { [$0] } ?? []
  }

  @Test(
    arguments: [
      (nil, nil, false), ("http://id.example.com/am", nil, false), ("https://id.example.com/am", nil, true),
      (nil, "https", true), (nil, "http", false), ("https://id.example.com/am", "http", true),
    ] as [(String?, String?, Bool)])
  func `the cookie is Secure whenever clients come by https (M6)`(
    _ publicURL: String?, _ scheme: String?, _ isSecure: Bool
  ) async throws {
    try await LocalServer.run(
      .live,
      {
        $0.publicURL = publicURL
        Self.loopbackProxy(&$0)
      }
    ) { server in
      var headers = ["X-Forwarded-For": "203.0.113.7"]
      headers["X-Forwarded-Proto"] = scheme
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "ada-password"),
        headers: headers)
      let token = try #require(answer["tokenId"]?.stringValue)
      let attributes = "; HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
      let cookies = answer.headers[values: .setCookie]
      #expect(cookies.first == "iPlanetDirectoryPro=\(token); Path=/\(attributes)")
      #expect(cookies.count == 2 && cookies.allSatisfy { $0.hasSuffix(attributes) })
      let logout = try await server.call(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", token: token, body: [:], headers: headers)
      #expect(logout.headers[.setCookie]?.hasSuffix(attributes) == true)
      let information = try await server.call(.get, "\(LocalServer.alpha)/serverinfo/*", headers: headers)
      #expect(information["secureCookie"] == .bool(isSecure))
    }
  }

  @Test func `a scheme that no trusted proxy told makes no cookie Secure`() async throws {
    try await LocalServer.run(.live) { server in
      let answer = try await server.call(
        .get, "\(LocalServer.alpha)/serverinfo/*",
        headers: ["X-Forwarded-Proto": "https", "Forwarded": "proto=https"])
      #expect(answer["secureCookie"] == false)
    }
  }

  @Test
  func
    `browsers are told to come by https only, when the public URL says https and nothing says http (RFC 6797)`()
    async throws
  {
    let hsts = try #require(Self.hsts)
    let scheme = ["X-Forwarded-For": "203.0.113.7", "X-Forwarded-Proto": "http"]
    try await LocalServer.run(
      .live,
      {
        $0.publicURL = "https://id.example.com/am"
        Self.loopbackProxy(&$0)
      }
    ) { server in
      for path in ["/am/XUI/", "\(LocalServer.alpha)/serverinfo/*", "/nowhere", "/health"] {
        let unknown = try await server.call(.get, path)
        #expect(unknown.headers[hsts] == "max-age=31536000", "\(path)")
        let plain = try await server.call(.get, path, headers: scheme)
        #expect(plain.headers[hsts] == nil, "\(path)")
      }
    }
    try await LocalServer.run { server in
      let page = try await server.call(.get, "/am/XUI/")
      #expect(page.headers[hsts] == nil)
    }
  }

  @Test
  func `a cookie with __Host- in its name has what browsers demand of it, and is the token's header, too`()
    async throws
  {
    let name = "__Host-sealring"
    try await LocalServer.run(
      .router,
      {
        $0.cookieName = name
        $0.publicURL = "https://id.example.com/am"
      }
    ) { server in
      let step = try await server.start()
      let answer = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "ada-password"))
      let token = try #require(answer["tokenId"]?.stringValue)
      #expect(
        answer.headers[values: .setCookie].first
          == "\(name)=\(token); Path=/; HttpOnly; SameSite=Lax; Secure")
      for headers in [[name: token], ["Cookie": "iPlanetDirectoryPro=x; \(name)=\(token)"]] {
        #expect(try await server.call(.get, "\(LocalServer.alpha)/users/ada", headers: headers).status == 200)
      }
      let old = ["Cookie": "iPlanetDirectoryPro=\(token)"]
      #expect(try await server.call(.get, "\(LocalServer.alpha)/users/ada", headers: old).status == 401)
      let information = try await server.call(.get, "\(LocalServer.alpha)/serverinfo/*")
      #expect(information["cookieName"] == .string(name))
    }
  }

  @Test(arguments: ["__Host-sealring", "__Secure-sealring", "__host-sealring"])
  func `a name that browsers take by https only is refused where nobody comes by https`(_ name: String)
    async throws
  {
    for url in [nil, "http://id.example.com/am"] {
      var configuration = LocalServer.configuration()
      configuration.cookieName = name
      configuration.publicURL = url
      let error = await #expect(throws: ServerSetupError.self) {
        try await SealringServer.make(configuration)
      }
      #expect(error?.description.contains("by https only") == true)
    }
  }

  @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "id.example.com", "127.evil.example"])
  func `plain HTTP beyond this machine needs somebody's word`(_ host: String) throws {
    var configuration = ServerConfiguration()
    configuration.host = host
    let error = #expect(throws: ServerSetupError.self) { try configuration.requireSafeTransport() }
    for option in ["--tls-certificate", "--trusted-proxy", "--insecure-http"] {
      #expect(error?.description.contains(option) == true)
    }
    configuration.allowsInsecureHTTP = true
    #expect(throws: Never.self) { try configuration.requireSafeTransport() }
    configuration.allowsInsecureHTTP = false
    configuration.trustedProxies = [try AddressBlock("10.0.0.0/8")]
    #expect(throws: Never.self) { try configuration.requireSafeTransport() }
    configuration.trustedProxies = []
    configuration.tls = TLSFiles(certificate: URL(filePath: "/c"), key: URL(filePath: "/k"))
    #expect(throws: Never.self) { try configuration.requireSafeTransport() }
  }

  @Test(arguments: ["127.0.0.1", "127.8.8.8", "localhost", "::1"])
  func `on this machine plain HTTP needs nothing`(_ host: String) throws {
    var configuration = ServerConfiguration()
    configuration.host = host
    #expect(throws: Never.self) { try configuration.requireSafeTransport() }
  }

  @Test(
    arguments: [
      ("https://id.example.com/am/", "evil.example", "https", "https://id.example.com/am"),
      (nil, "id.example.com:8443", "https", "https://id.example.com:8443/am"),
      (nil, "id.example.com", nil, "http://id.example.com/am"), (nil, "evil.example/x?", nil, ""),
      (nil, nil, nil, ""),
    ] as [(String?, String?, String?, String)])
  func `enrolment addresses name the public URL, or what the client came by`(
    _ publicURL: String?, _ host: String?, _ scheme: String?, _ expected: String
  ) throws {
    let connection = ClientConnection(
      address: nil, scheme: scheme.flatMap(ClientConnection.Scheme.init), host: host)
    #expect(try BaseAddress(publicURL).address(for: connection) == expected)
  }
}
