import Concurrency
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import NIOCore
import StrictJSON
import Testing

@testable import Assembly
@testable import ServerHTTP

/// What a page on a sibling host (`blog.example.com` beside `id.example.com`) can have a browser send: forms, and requests without
/// headers of its own, with the session cookie.
@Suite("Requests from other sites")
struct RequestForgeryTests {
  private static let devices = "\(LocalServer.alpha)/users/ada/devices/2fa"

  private static func fields(_ headers: [String: String]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in headers { fields[try #require(HTTPField.Name(name))] = value }
    return fields
  }

  private func send(
    _ method: HTTPRequest.Method, _ path: String, to server: LocalServer, cookie: String?,
    _ headers: [String: String] = [:], body: String = ""
  ) async throws -> Answer {
    var fields = try Self.fields(headers)
    if let cookie { fields[.cookie] = "theme=dark; iPlanetDirectoryPro=\(cookie)" }
    return Answer(
      try await server.client.executeRequest(
        uri: path, method: method, headers: fields, body: ByteBuffer(string: body)))
  }

  /// The changing requests that a session is good for.
  static let changing: [(HTTPRequest.Method, String, String)] = [
    (.post, "\(devices)/push?_action=reset", ""), (.post, "\(devices)/oath?_action=reset", ""),
    (.post, "\(devices)/push?_action=skip", #"{"value":true}"#),
    (.put, "\(devices)/oath/1", #"{"deviceName":"x"}"#), (.delete, "\(devices)/binding/1", ""),
    (.put, "\(LocalServer.alpha)/users/ada", #"{"mail":["evil@example.com"]}"#),
    (.delete, "\(LocalServer.alpha)/users/ada", ""),
    (.post, "\(LocalServer.alpha)/users?_action=create", #"{"username":"eve"}"#),
    (.post, "\(LocalServer.alpha)/sessions?_action=logout", ""),
    (.post, "\(LocalServer.alpha)/sessions?_action=refresh", ""),
    (.post, "\(LocalServer.alpha)/authenticate", "{}"),
    (.post, "\(LocalServer.alpha)/authenticate?authIndexType=transaction&authIndexValue=x", "{}"),
    (.post, "\(LocalServer.alpha)/applications?_action=create", #"{"name":"shop"}"#),
    (.post, "\(LocalServer.alpha)/transactions?_action=create", #"{"fields":{}}"#),
    (.post, "/am/XUI/qr", #"{"uri":"otpauth://totp/x"}"#),
  ]

  @Test
  func
    `a form on a sibling host changes nothing, whatever its encoding, with the cookie of who looks at it (M3)`()
    async throws
  {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      for (method, path, _) in Self.changing {
        for type in ["application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain"] {
          for body in ["", #"{"mail":["evil@example.com"],"x":"="}"#] {
            let answer = try await send(
              method, path, to: server, cookie: token,
              ["Content-Type": type, "Origin": "https://blog.example.com"], body: body)
            #expect(answer.status == 415, "\(method) \(path) \(type)")
          }
        }
      }
      let user = try #require(try await server.store.user(named: "ada", realm: "alpha"))
      #expect(user.mail == ["ada@example.com"])
      let session = try await server.call(
        .post, "\(LocalServer.alpha)/sessions?_action=validate", token: token, body: [:])
      #expect(session["valid"] == true)
    }
  }

  @Test
  func `a request without a body and without a type, as scripts of other sites may send it, is refused (M3)`()
    async throws
  {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      for (method, path, _) in Self.changing where method == .post {
        let answer = try await send(
          .post, path, to: server, cookie: token, ["Origin": "https://blog.example.com"])
        #expect(answer.status == 415, "\(path)")
      }
    }
  }

  @Test func `the cookie alone is not enough to change something, even with JSON (M3)`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      for (method, path, body) in Self.changing {
        for origin in [nil, "https://blog.example.com", "null", "http://localhost:8080", "https://localhost"]
        {
          var headers = ["Content-Type": "application/json"]
          headers["Origin"] = origin
          let answer = try await send(method, path, to: server, cookie: token, headers, body: body)
          #expect(answer.status == 403, "\(method) \(path) \(origin ?? "-")")
          #expect(answer.message?.contains("X-Requested-With") == true)
        }
      }
      let lines = server.log.withLock { $0 }
      #expect(lines.contains { $0.contains("may come from another site") })
    }
  }

  @Test(
    arguments: [
      ["X-Requested-With": "XMLHttpRequest"], ["Accept-API-Version": "resource=1.0"],
      ["Origin": "http://localhost"], ["Origin": "https://login.example.com"],
    ])
  func `the cookie counts with a header that other sites cannot set, or with this server's own origin`(
    _ proof: [String: String]
  ) async throws {
    // The tests' client asks for the host localhost.
    try await LocalServer.run(.router, { $0.publicURL = "https://Login.example.com:443/am" }) { server in
      let token = try await server.signIn("ada")
      let headers = proof.merging(["Content-Type": "application/json"]) { $1 }
      for (path, body) in [
        ("\(Self.devices)/push?_action=reset", ""), ("\(LocalServer.alpha)/sessions?_action=logout", "{}"),
      ] {
        let answer = try await send(.post, path, to: server, cookie: token, headers, body: body)
        #expect(answer.status == 200, "\(path)")
      }
    }
  }

  @Test func `reading with the cookie needs nothing more`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      let answer = try await send(.get, "\(LocalServer.alpha)/users/ada", to: server, cookie: token)
      #expect(answer.status == 200)
    }
  }

  @Test func `a token in a header is not a cookie: native clients need no body, type or other header`()
    async throws
  {
    try await LocalServer.run { server in
      let token = try await server.signIn("ada")
      for headers in [["iPlanetDirectoryPro": token], ["Authorization": "Bearer \(token)"]] {
        let reset = try await send(
          .post, "\(Self.devices)/oath?_action=reset", to: server, cookie: nil, headers)
        #expect(reset.status == 200)
      }
      let logout = try await send(
        .post, "\(LocalServer.alpha)/sessions?_action=logout", to: server, cookie: token,
        ["iPlanetDirectoryPro": token])
      #expect(logout["result"] == "Successfully logged out")
    }
  }

  @Test func `nobody is signed in by another site's form, with or without a cookie`() async throws {
    try await LocalServer.run { server in
      let headers = [
        "Content-Type": "text/plain", "X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password",
      ]
      let answer = try await send(
        .post, "\(LocalServer.alpha)/authenticate", to: server, cookie: nil, headers)
      #expect(answer.status == 415)
      #expect(answer.headers[.setCookie] == nil)
    }
  }
}
