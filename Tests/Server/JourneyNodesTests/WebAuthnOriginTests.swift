import AuthenticatorFixtures
import Foundation
import JourneyEngine
import StrictJSON
import Testing
import WebAuthnVerification

@testable import JourneyNodes

@Suite("Relying party and origins of WebAuthn nodes") struct WebAuthnOriginTests {
  @Test(
    arguments: [
      ("example.com", "https://a.example.com/am", "example.com"),
      ("", "https://id.example.net/am", "id.example.net"),
      ("", "https://evil.example.org/am", "id.example.net"), ("", "", "id.example.net"),
    ])
  func `the relying party is the configured one, else the server's, whatever the request says of itself`(
    domain: String, baseURL: String, id: String
  ) async throws {
    var world = try await World()
    world.relyingParty = ServerRelyingParty(publicURL: "https://id.example.net:8443/am")
    var visit = try world.registration(["relyingPartyDomain": .string(domain), "origins": []])
    visit.request.baseURL = baseURL
    visit.request.headers["origin"] = "https://evil.example.org"
    #expect(try await visit.ask().webAuthnMetadata["_relyingPartyId"] == .string(id))
  }

  @Test func `a server that is not a relying party says what to do`() async throws {
    let world = try await World()
    var visit = try world.registration(["relyingPartyDomain": "", "origins": []])
    let error = await #expect(throws: NodeError.self) { try await visit.ask() }
    #expect(error?.description.contains("--public-url") == true)
  }

  @Test(
    arguments: [
      ("127.0.0.1", "localhost"), ("0.0.0.0", "localhost"), ("::", "localhost"), ("::1", "localhost"),
      ("192.168.1.5", "localhost"), ("localhost", "localhost"), ("Kiosk.example", "kiosk.example"),
    ])
  func
    `a server without a public address is the relying party of the name that it listens on, else localhost`(
      host: String, id: String
    )
  {
    let server = ServerRelyingParty(listeningOn: host, port: 8080)
    #expect(server.id == id)
    #expect(server.origins(for: id).contains("http://\(id):8080"))
  }

  /// Where clients may run, by how the server is configured and what the node asks for.
  static let clientPlaces: [(ServerRelyingParty, id: String, allowed: [String], refused: [String])] = [
    (
      ServerRelyingParty(publicURL: "https://id.example.com/am"), "id.example.com",
      ["https://id.example.com"],
      [
        "https://x.id.example.com", "https://id.example.com:8443", "http://id.example.com",
        "https://example.com",
      ]
    ),
    (
      ServerRelyingParty(publicURL: "https://id.example.com/am"), "example.com",
      ["https://id.example.com", "https://example.com"],
      ["https://www.example.com", "https://id.example.net"]
    ),
    (
      ServerRelyingParty(
        publicURL: "https://id.example.com:8443/am",
        origins: ["android:apk-key-hash:abc", "https://app.example.com"]),
      "id.example.com",
      ["https://id.example.com:8443", "android:apk-key-hash:abc", "https://app.example.com"],
      ["https://id.example.com", "android:apk-key-hash:abd"]
    ),
    (
      ServerRelyingParty(listeningOn: "127.0.0.1", port: 8080), "localhost", ["http://localhost:8080"],
      ["http://localhost:3000", "http://127.0.0.1:8080", "http://a.localhost:8080"]
    ),
    (
      ServerRelyingParty(publicURL: "http://127.0.0.1:8080/am"), "localhost", ["http://localhost:8080"],
      ["http://localhost", "http://127.0.0.1:8080"]
    ),
    (ServerRelyingParty(), "example.com", ["https://example.com"], ["https://a.example.com"]),
  ]

  @Test(arguments: clientPlaces)
  func `clients may run at the server's own origin and nowhere else`(
    server: ServerRelyingParty, id: String, allowed: [String], refused: [String]
  ) {
    let policy = OriginPolicy(server.origins(for: id))
    for origin in allowed { #expect(policy.allows(origin), "\(origin)") }
    for origin in refused { #expect(!policy.allows(origin), "\(origin)") }
  }

  @Test func `a credential of another relying party is neither asked for nor taken`() async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    try await world.register(authenticator)
    let elsewhere: JSONObject = ["relyingPartyDomain": "id.example.com", "origins": ["https://example.com"]]
    var named = try world.authentication(elsewhere)
    #expect(try await named.evaluate() == .outcome("noDevice"))
    var properties = elsewhere
    properties.merge(["requiresResidentKey": true])
    var alone = try world.authentication(properties)
    let challenge = try await alone.ask().webAuthnChallenge
    let text = try authenticator.authenticate(challenge: challenge) {
      $0.relyingPartyID = "id.example.com"
      $0.userHandle = "bWlyYQ"
    }
    #expect(try await alone.answer([:], ["": .string(text)]) == .outcome("failure"))
    #expect(alone.reasons.contains { $0.contains("rpIdMismatch") })
  }

  @Test(
    arguments: [
      ("ios:bundle-id:com.acme.wallet", true), ("ios:bundle-id:com.acme.wallet/", false),
      ("android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck", true),
      ("android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLcK", false),
      ("https://example.com:443", true), ("https://example.com:8443", false), ("http://example.com", false),
    ])
  func `native clients' origins count where they are configured, character by character`(
    origin: String, isAllowed: Bool
  ) async throws {
    let world = try await World()
    let (_, result) = try await world.register(
      SoftAuthenticator(),
      [
        "origins": [
          "https://example.com", "ios:bundle-id:com.acme.wallet",
          "android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck",
        ]
      ]
    ) { $0.origin = origin }
    #expect(result == .outcome(isAllowed ? "success" : "failure"))
  }
}
