import AuthenticatorFixtures
import BindingFormats
import Foundation
import JOSE
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing
import WebAuthnVerification

@testable import JourneyNodes

@Suite("WebAuthn nodes") struct WebAuthnNodeTests {
  static let data: JSONObject = [
    "asScript": false, "relyingPartyDomain": "example.com", "origins": ["https://example.com"],
    "generateRecoveryCodes": false,
  ]

  static func with(_ more: JSONObject) -> JSONObject {
    var properties = data
    properties.merge(more)
    return properties
  }

  private func registration(
    _ world: World, _ properties: JSONObject = [:], of username: String = "mira"
  ) throws -> Visit {
    try world.visit(
      "WebAuthnRegistrationNode", Self.with(properties), state: JourneyState(username: username))
  }

  private func authentication(_ world: World, _ properties: JSONObject = [:]) throws -> Visit {
    try world.visit(
      "WebAuthnAuthenticationNode", Self.with(properties), state: JourneyState(username: "mira"))
  }

  private func metadata(_ callbacks: [OutgoingCallback]) throws -> JSONObject {
    try #require(callbacks[0].output("data")?.objectValue)
  }

  private func challenge(_ callbacks: [OutgoingCallback]) throws -> String {
    try #require(metadata(callbacks)["challenge"]?.stringValue)
  }

  /// Registers through the node; the visit after.
  @discardableResult
  private func register(
    _ authenticator: SoftAuthenticator, in world: World, _ properties: JSONObject = [:],
    _ change: (inout SoftAuthenticator.Answer) throws -> Void = { _ in }
  ) async throws -> (Visit, NodeResult) {
    var visit = try registration(world, properties)
    let challenge = try challenge(await visit.ask())
    let text = try authenticator.register(challenge: challenge, change)
    let result = try await visit.answer([:], ["": .string(text)])
    return (visit, result)
  }

  private func devices(_ world: World) async throws -> [WebAuthnDeviceRecord] {
    try await world.store.webAuthnDevices.all(of: UniversalID(username: "mira", realm: "alpha"))
  }

  // MARK: What is sent

  @Test("A registration's metadata have every member, in both the old and the new form")
  func registrationMetadata() async throws {
    let world = try await World()
    var visit = try registration(
      world,
      [
        "relyingPartyName": "Bank", "userVerificationRequirement": "REQUIRED", "requiresResidentKey": true,
        "authenticatorAttachment": "PLATFORM", "attestationPreference": "DIRECT", "timeout": 30,
        "acceptedSigningAlgorithms": ["ES256", "RS1", "EDDSA"], "displayNameSharedState": "shown",
      ])
    visit.state.shared["shown"] = "Mira M."
    visit.state.shared["webAuthnExtensions"] = ["credProps": true]
    let callbacks = try await visit.ask()
    #expect(callbacks.map(\.type) == ["MetadataCallback", "HiddenValueCallback"])
    #expect(callbacks[0].inputs.isEmpty)
    #expect(callbacks[1].outputs == [.init("value", "false"), .init("id", "webAuthnOutcome")])
    #expect(callbacks[1].inputs == [.init("", "webAuthnOutcome")])
    let sent = try metadata(callbacks)
    let challenge = try #require(sent["challenge"]?.stringValue)
    #expect(Data(base64Encoded: challenge)?.count == 32)
    #expect(visit.state.shared["web-authn-challenge"] == .string(challenge))
    #expect(
      sent == [
        "_action": "webauthn_registration", "_type": "WebAuthn", "challenge": .string(challenge),
        "attestationPreference": "direct", "userName": "mira", "displayName": "Mira M.", "userId": "bWlyYQ",
        "relyingPartyName": "Bank", "relyingPartyId": "id: \"example.com\",",
        "_relyingPartyId": "example.com",
        "authenticatorSelection":
          #"{"userVerification":"required","residentKey":"required","requireResidentKey":true,"authenticatorAttachment":"platform"}"#,
        "_authenticatorSelection": [
          "userVerification": "required", "residentKey": "required", "requireResidentKey": true,
          "authenticatorAttachment": "platform",
        ],
        "pubKeyCredParams":
          #"[ { "type": "public-key", "alg": -7 }, { "type": "public-key", "alg": -8 } ]"#,
        "_pubKeyCredParams": [
          ["type": "public-key", "alg": -7], ["type": "public-key", "alg": -8],
        ],
        "timeout": "30000", "excludeCredentials": "", "_excludeCredentials": [],
        "extensions": ["credProps": true], "supportsJsonResponse": true,
      ])
  }

  @Test("An authentication's metadata name the user's credentials as signed bytes, and none without a name")
  func authenticationMetadata() async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    authenticator.credentialID = [0, 127, 128, 255]
    try await register(authenticator, in: world)
    var visit = try authentication(world)
    let sent = try metadata(try await visit.ask())
    #expect(
      sent["allowCredentials"]
        == #"allowCredentials: [{ "type": "public-key", "id": new Int8Array([0, 127, -128, -1]).buffer }]"#)
    #expect(sent["_allowCredentials"] == [["type": "public-key", "id": [0, 127, -128, -1]]])
    #expect(
      sent["_action"] == "webauthn_authentication" && sent["relyingPartyId"] == "rpId: \"example.com\",")
    #expect(sent["userVerification"] == "preferred" && sent["timeout"] == "60000")
    var usernameless = try authentication(world, ["requiresResidentKey": true])
    let open = try metadata(try await usernameless.ask())
    #expect(open["allowCredentials"] == "" && open["_allowCredentials"] == [])
  }

  @Test("Limit registrations tells the authenticator what the user has")
  func exclusion() async throws {
    let world = try await World()
    let authenticator = SoftAuthenticator()
    try await register(authenticator, in: world)
    var visit = try registration(world, ["excludeCredentials": true])
    let sent = try metadata(try await visit.ask())
    let id = authenticator.credentialID.map { JSONValue.integer(Int64(Int8(bitPattern: $0))) }
    #expect(sent["_excludeCredentials"] == [["type": "public-key", "id": .array(id)]])
    let script = try #require(sent["excludeCredentials"]?.stringValue)
    #expect(script.hasPrefix("{ \"type\": \"public-key\", \"id\": new Int8Array(["))
  }

  @Test("As a script, the same goes out as JavaScript, in which names stay texts")
  func script() async throws {
    let world = try await World()
    try await world.store.createUser(
      UserRecord(
        realm: "alpha", username: "eve", attributes: ["_username": "</script>\"+alert(1)+\"\u{2028}"],
        createdAt: world.now))
    var visit = try registration(world, ["asScript": true], of: "eve")
    let callbacks = try await visit.ask()
    #expect(callbacks.map(\.type) == ["TextOutputCallback", "TextOutputCallback", "HiddenValueCallback"])
    #expect(callbacks[0].output("messageType") == "4" && callbacks[1].output("messageType") == "4")
    let script = try #require(callbacks[0].output("message")?.stringValue)
    #expect(!script.contains("</script") && !script.contains("\u{2028}"))
    for part in [
      "navigator.credentials.create", "pubKeyCredParams", "new Int8Array([", "webAuthnOutcome",
      "loginButton_0", "Uint8Array.from(\"ZXZl\"", "id: \"example.com\"", "submit(\"unsupported\")",
    ] as [String] {
      #expect(script.contains(part))
    }
    let challenge = try #require(visit.state.shared["web-authn-challenge"]?.stringValue)
    let text = try SoftAuthenticator().register(challenge: challenge)
    let outcome: JSONObject = ["authenticatorAttachment": "platform", "legacyData": .string(text)]
    #expect(
      try await visit.answer([:], [:], ["": .string(JSONValue.object(outcome).text)]) == .outcome("success"))
    #expect(visit.state.transient["webauthnAttestationInfo"]?["authenticatorAttachment"] == "platform")
  }

  // MARK: Outcomes

  @Test(
    "What a client says instead of an answer has its own outcome",
    arguments: [
      ("unsupported", "unsupported", nil), ("ERROR::NotAllowedError:no", "error", "NotAllowedError:no"),
      (#"{"error":"TimeoutError:late"}"#, "error", "TimeoutError:late"),
      ("ERROR::Strange:thing", "error", "UnknownError:Strange:thing"),
      ("ERROR::", "error", "UnknownError:"), ("webAuthnOutcome", "failure", nil), ("false", "failure", nil),
    ] as [(String, String, String?)])
  func clientOutcomes(value: String, outcome: String, error: String?) async throws {
    let world = try await World()
    try await register(SoftAuthenticator(), in: world)
    for node in ["WebAuthnRegistrationNode", "WebAuthnAuthenticationNode"] {
      var visit = try world.visit(node, Self.data, state: JourneyState(username: "mira"))
      _ = try await visit.ask()
      #expect(try await visit.answer([:], ["": .string(value)]) == .outcome(outcome))
      #expect(visit.state.shared["WebAuthenticationDOMException"]?.stringValue == error)
      #expect(visit.state.shared["web-authn-challenge"] == nil)
    }
    #expect(try await devices(world).count == 1)
  }

  @Test("An empty value is not an answer yet: the same question goes out again")
  func again() async throws {
    let world = try await World()
    var visit = try registration(world)
    let first = try await visit.ask()
    #expect(try visit.callbacks(of: await visit.answer([:], ["": ""])) == first)
  }

  @Test("A challenge takes one answer, in its time")
  func once() async throws {
    let world = try await World()
    var visit = try registration(world)
    let challenge = try challenge(await visit.ask())
    var copy = visit
    let text = try SoftAuthenticator().register(challenge: challenge)
    #expect(try await visit.answer([:], ["": .string(text)]) == .outcome("success"))
    let other = try SoftAuthenticator().register(challenge: challenge)
    #expect(try await copy.answer([:], ["": .string(other)]) == .outcome("failure"))
    #expect(copy.reasons.contains { $0.contains("challengeReused") })
    var late = try registration(world)
    let lateText = try SoftAuthenticator().register(challenge: try self.challenge(await late.ask()))
    world.advance(121)
    #expect(try await late.answer([:], ["": .string(lateText)]) == .outcome("failure"))
    #expect(late.reasons.contains { $0.contains("challengeExpired") })
  }

  @Test("A success leaves what later nodes read")
  func state() async throws {
    let world = try await World()
    let (plain, _) = try await register(SoftAuthenticator(), in: world)
    #expect(plain.state.transient["webauthnData"] == nil && plain.state.transient["recoveryCodes"] == nil)
    let (visit, result) = try await register(
      SoftAuthenticator(), in: world,
      ["generateRecoveryCodes": true, "storeAttestationDataInTransientState": true]
    ) {
      $0.attestsItself()
      $0.deviceName = "  Work\u{7} key "
    }
    #expect(result == .outcome("success"))
    #expect(
      visit.state.transient["webauthnAttestationInfo"] == [
        "flags": ["UP": true, "UV": true, "AT": true, "ED": false, "BE": false, "BS": false]
      ])
    #expect(visit.state.transient["webauthnAttestationType"] == "SELF")
    #expect(visit.state.transient["webauthnDeviceAaguid"] == "00000000-0000-0000-0000-000000000000")
    #expect(visit.state.transient["webauthnData"]?.stringValue?.hasPrefix("{\"type\"") == true)
    #expect(visit.state.transient["recoveryCodes"]?.arrayValue?.count == 10)
    #expect(visit.state.transient["recoveryCodeDeviceName"] == "Work key")
    let device = try await devices(world)[0]
    #expect(device.deviceName == "Work key" && device.attestationType == "SELF")
    #expect(device.userHandle == Array("bWlyYQ".utf8) && device.relyingPartyID == "example.com")
    #expect(device.isUserVerificationInitialized && !device.isBackupEligible)
  }

  @Test("At the limit nobody is asked, and who got in between is refused")
  func limit() async throws {
    let world = try await World()
    var (first, second) = (
      try registration(world, ["maxSavedDevices": 1]), try registration(world, ["maxSavedDevices": 1])
    )
    #expect(first.node.outcomes.contains("exceedDeviceLimit"))
    let challenges = (try challenge(await first.ask()), try challenge(await second.ask()))
    let texts = (
      try SoftAuthenticator().register(challenge: challenges.0),
      try SoftAuthenticator().register(challenge: challenges.1)
    )
    #expect(try await first.answer([:], ["": .string(texts.0)]) == .outcome("success"))
    #expect(try await second.answer([:], ["": .string(texts.1)]) == .outcome("exceedDeviceLimit"))
    var third = try registration(world, ["maxSavedDevices": 1])
    #expect(try await third.evaluate() == .outcome("exceedDeviceLimit"))
    let postponed = try registration(world, ["maxSavedDevices": 1, "postponeDeviceProfileStorage": true])
    #expect(!postponed.node.outcomes.contains("exceedDeviceLimit"))
  }

  @Test("A postponed device is stored by the storage node, for its user alone")
  func postponed() async throws {
    let world = try await World()
    let (visit, result) = try await register(
      SoftAuthenticator(), in: world,
      ["postponeDeviceProfileStorage": true, "generateRecoveryCodes": true])
    #expect(result == .outcome("success"))
    #expect(try await devices(world).isEmpty && visit.state.transient["recoveryCodes"] == nil)
    let form = try #require(visit.state.transient["webauthnDeviceData"])
    #expect(form["algorithm"] == "SHA256withECDSA" && form["key"]?["crv"] == "P-256")
    #expect(form["deviceName"] == "New Security Key" && form["recoveryCodes"] == [])

    var foreign = try world.visit("WebAuthnDeviceStorageNode", [:], state: visit.state)
    foreign.state.username = "rosa"
    #expect(try await foreign.evaluate() == .outcome("failure"))
    var storage = try world.visit("WebAuthnDeviceStorageNode", ["maxSavedDevices": 1], state: visit.state)
    #expect(try await storage.evaluate() == .outcome("success"))
    #expect(storage.state.transient["recoveryCodes"]?.arrayValue?.count == 10)
    #expect(storage.state.transient["webauthnDeviceData"] == nil)
    #expect(try await devices(world).count == 1)
    #expect(try await storage.evaluate() == .outcome("failure"))
    var full = try world.visit("WebAuthnDeviceStorageNode", ["maxSavedDevices": 1], state: visit.state)
    #expect(try await full.evaluate() == .outcome("failure"))
    #expect(full.reasons.contains { $0.contains("credentialAlreadyRegistered") })
    let (next, _) = try await register(
      SoftAuthenticator(), in: world, ["postponeDeviceProfileStorage": true])
    var limited = try world.visit("WebAuthnDeviceStorageNode", ["maxSavedDevices": 1], state: next.state)
    #expect(try await limited.evaluate() == .outcome("exceedDeviceLimit"))
    for damage in ["publicKey", "credentialId", "signCount", "userHandle"] {
      var broken = try world.visit("WebAuthnDeviceStorageNode", [:], state: next.state)
      var object = try #require(next.state.transient["webauthnDeviceData"]?.objectValue)
      object[damage] = "?"
      broken.state.transient["webauthnDeviceData"] = .object(object)
      #expect(try await broken.evaluate() == .outcome("failure"))
    }
  }

  @Test("Who is unknown has no device, who is inactive registers none")
  func users() async throws {
    let world = try await World()
    for name in ["nobody", "mira", "otto"] {
      var visit = try authentication(world)
      visit.state.username = name
      #expect(try await visit.evaluate() == .outcome("noDevice"))
    }
    for name in ["nobody", "otto"] {
      var visit = try registration(world, of: name)
      #expect(try await visit.evaluate() == .outcome("failure"))
    }
    var nameless = try registration(world)
    nameless.state.username = nil
    await #expect(throws: NodeError.self) { _ = try await nameless.evaluate() }
  }

  @Test(
    "A counter that does not advance is told where it is asked for, and never stored",
    arguments: [
      (5, true, "successSignCountMismatch", 5), (0, true, "successSignCountMismatch", 5),
      (5, false, "success", 5), (6, true, "success", 6),
    ]
      as [(UInt32, Bool, String, UInt32)])
  func counter(received: UInt32, detects: Bool, outcome: String, after: UInt32) async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    authenticator.signCount = 5
    try await register(authenticator, in: world)
    var visit = try authentication(world, ["detectSignCountMismatch": .bool(detects)])
    #expect(visit.node.outcomes.contains("successSignCountMismatch") == detects)
    let challenge = try challenge(await visit.ask())
    let text = try authenticator.authenticate(challenge: challenge) { $0.signCount = received }
    #expect(try await visit.answer([:], ["": .string(text)]) == .outcome(outcome))
    let device = try await devices(world)[0]
    #expect(device.signCount == after)
    #expect(visit.state.shared["webauthnDeviceUuid"] == .string(device.uuid))
    #expect(visit.state.shared["webauthnDeviceName"] == "New Security Key")
    #expect(visit.state.transient["webauthnAssertionInfo"]?["flags"]?["UV"] == true)
  }

  @Test("Username from device takes the user of the handle, whoever was there before")
  func usernameless() async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    try await register(authenticator, in: world)
    for (handle, outcome) in [("bWlyYQ", "success"), ("cm9zYQ", "failure"), ("bm9ib2R5", "failure")] {
      var visit = try authentication(world, ["requiresResidentKey": true])
      visit.state.username = "rosa"
      let challenge = try challenge(await visit.ask())
      let text = try authenticator.authenticate(challenge: challenge) { $0.userHandle = handle }
      #expect(try await visit.answer([:], ["": .string(text)]) == .outcome(outcome))
      #expect(visit.state.username == (outcome == "success" ? "mira" : "rosa"))
    }
    for (handle, outcome) in [("cm9zYQ", "noDevice"), ("bm9ib2R5", "noDevice"), ("bWlyYQ", "failure")] {
      var visit = try authentication(world, ["requiresResidentKey": true])
      let challenge = try challenge(await visit.ask())
      let text = try authenticator.authenticate(challenge: challenge) {
        $0.userHandle = handle
        $0.namedID = [1]
      }
      #expect(try await visit.answer([:], ["": .string(text)]) == .outcome(outcome))
    }
  }

  @Test("The recovery button comes before the value")
  func recovery() async throws {
    let world = try await World()
    try await register(SoftAuthenticator(), in: world)
    var visit = try authentication(world, ["isRecoveryCodeAllowed": true])
    let callbacks = try await visit.ask()
    #expect(callbacks[2].output("options") == ["Use Recovery Code"])
    #expect(
      try await visit.answer([:], ["": "ERROR::AbortError:x"], ["": 0]) == .outcome("recoveryCode"))
    let plain = try authentication(world)
    #expect(!plain.node.outcomes.contains("recoveryCode"))
  }

  @Test("A name too long for a handle has its digest for one")
  func longNames() async throws {
    let world = try await World()
    let name = String(repeating: "long ", count: 30) + "name"
    try await world.store.createUser(UserRecord(realm: "alpha", username: name, createdAt: world.now))
    var visit = try registration(world, of: name)
    let sent = try metadata(try await visit.ask())
    let id = try #require(sent["userId"]?.stringValue)
    #expect(id.utf8.count == 43)
    var authenticator = SoftAuthenticator()
    let text = try authenticator.register(challenge: try #require(sent["challenge"]?.stringValue))
    #expect(try await visit.answer([:], ["": .string(text)]) == .outcome("success"))
    var alone = try authentication(world, ["requiresResidentKey": true])
    let answer = try authenticator.authenticate(challenge: try challenge(await alone.ask())) {
      $0.userHandle = id
    }
    #expect(try await alone.answer([:], ["": .string(answer)]) == .outcome("success"))
    #expect(alone.state.username == name)
  }

  // MARK: Origins

  @Test(
    "The relying party is the configured one, else the server's, whatever the request says of itself",
    arguments: [
      ("example.com", "https://a.example.com/am", "example.com"),
      ("", "https://id.example.net/am", "id.example.net"),
      ("", "https://evil.example.org/am", "id.example.net"), ("", "", "id.example.net"),
    ])
  func relyingParty(domain: String, baseURL: String, id: String) async throws {
    var world = try await World()
    world.relyingParty = ServerRelyingParty(publicURL: "https://id.example.net:8443/am")
    var visit = try registration(world, ["relyingPartyDomain": .string(domain), "origins": []])
    visit.request.baseURL = baseURL
    visit.request.headers["origin"] = "https://evil.example.org"
    #expect(try metadata(await visit.ask())["_relyingPartyId"] == .string(id))
  }

  @Test("A server that is not a relying party says what to do")
  func nobody() async throws {
    let world = try await World()
    var visit = try registration(world, ["relyingPartyDomain": "", "origins": []])
    let error = await #expect(throws: NodeError.self) { try await visit.ask() }
    #expect(error?.description.contains("--public-url") == true)
  }

  @Test(
    "A server without a public address is the relying party of the name that it listens on, else localhost",
    arguments: [
      ("127.0.0.1", "localhost"), ("0.0.0.0", "localhost"), ("::", "localhost"), ("::1", "localhost"),
      ("192.168.1.5", "localhost"), ("localhost", "localhost"), ("Kiosk.example", "kiosk.example"),
    ])
  func listening(host: String, id: String) {
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

  @Test("Clients may run at the server's own origin and nowhere else", arguments: clientPlaces)
  func places(server: ServerRelyingParty, id: String, allowed: [String], refused: [String]) {
    let policy = OriginPolicy(server.origins(for: id))
    for origin in allowed { #expect(policy.allows(origin), "\(origin)") }
    for origin in refused { #expect(!policy.allows(origin), "\(origin)") }
  }

  @Test("A credential of another relying party is neither asked for nor taken")
  func otherRelyingParty() async throws {
    let world = try await World()
    var authenticator = SoftAuthenticator()
    try await register(authenticator, in: world)
    let elsewhere: JSONObject = ["relyingPartyDomain": "id.example.com", "origins": ["https://example.com"]]
    var named = try authentication(world, elsewhere)
    #expect(try await named.evaluate() == .outcome("noDevice"))
    var properties = elsewhere
    properties.merge(["requiresResidentKey": true])
    var alone = try authentication(world, properties)
    let challenge = try challenge(await alone.ask())
    let text = try authenticator.authenticate(challenge: challenge) {
      $0.relyingPartyID = "id.example.com"
      $0.userHandle = "bWlyYQ"
    }
    #expect(try await alone.answer([:], ["": .string(text)]) == .outcome("failure"))
    #expect(alone.reasons.contains { $0.contains("rpIdMismatch") })
  }

  @Test(
    "Native clients' origins count where they are configured, character by character",
    arguments: [
      ("ios:bundle-id:com.acme.wallet", true), ("ios:bundle-id:com.acme.wallet/", false),
      ("android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck", true),
      ("android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLcK", false),
      ("https://example.com:443", true), ("https://example.com:8443", false), ("http://example.com", false),
    ])
  func origins(origin: String, isAllowed: Bool) async throws {
    let world = try await World()
    let (_, result) = try await register(
      SoftAuthenticator(), in: world,
      [
        "origins": [
          "https://example.com", "ios:bundle-id:com.acme.wallet",
          "android:apk-key-hash:pNiP5iKyQ8JwgGOaKA1zGPUPJIS-0H1xKCQcfIoGLck",
        ]
      ]
    ) { $0.origin = origin }
    #expect(result == .outcome(isAllowed ? "success" : "failure"))
  }

  // MARK: Configuration

  @Test(
    "A property that cannot work is named when the journey is loaded",
    arguments: [
      ("relyingPartyDomain", "https://example.com"), ("relyingPartyDomain", "example.com:8080"),
      ("userVerificationRequirement", "required"), ("attestationPreference", "ENTERPRISE"),
      ("acceptedSigningAlgorithms", ["RS1"]), ("acceptedSigningAlgorithms", ["ES256K"]),
      ("authenticatorAttachment", "platform"), ("timeout", 0), ("maxSavedDevices", -1), ("origins", [""]),
      ("relyingPartyName", ""), ("fidoCertificationLevel", "L1"), ("asScript", "maybe"),
    ] as [(String, JSONValue)])
  func wrongProperties(name: String, value: JSONValue) async throws {
    let world = try await World()
    do {
      _ = try world.node("WebAuthnRegistrationNode", [name: value])
      Issue.record("it was accepted")
    } catch let error as JourneyFileError {
      #expect(error.property == name)
    }
  }

  @Test("Without what the server must trust, the author is warned")
  func warnings() async throws {
    let world = try await World()
    let node = try world.node(
      "WebAuthnRegistrationNode",
      [
        "relyingPartyDomain": "example.com", "origins": ["https://example.org"],
        "acceptedSigningAlgorithms": ["RS1", "ES256"], "attestationPreference": "DIRECT",
        "trustStoreAlias": "corp", "enforceRevocationCheck": true,
        "fidoCertificationLevel": "FIDO_CERTIFIED_L1",
      ])
    for name in [
      "origins", "acceptedSigningAlgorithms", "trustStoreAlias", "enforceRevocationCheck",
      "fidoCertificationLevel",
    ] {
      #expect(node.warnings.contains { $0.hasPrefix("property \(name)") })
    }
    #expect(try world.node("WebAuthnRegistrationNode").warnings.isEmpty)
    #expect(try world.node("WebAuthnAuthenticationNode").warnings.isEmpty)
  }
}
