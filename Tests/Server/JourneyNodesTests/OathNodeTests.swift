import BindingFormats
import Bytes
import Foundation
import JourneyEngine
import JourneyStore
import OATH
import SecurityEvents
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("One-time codes") struct OathNodeTests {
  /// The moment at which tests begin, as a time step of 30 seconds.
  static let step: UInt64 = 60_000_000

  static let secret = [UInt8](repeating: 7, count: 20)

  private func device(_ profile: OATHProfile = OATHProfile(), next: UInt64 = 0, drift: Int = 0)
    -> OathDeviceRecord
  {
    OathDeviceRecord(
      uuid: "o1", realm: "alpha", username: "mira", secret: StoredSecret(Self.secret), profile: profile,
      nextFactor: next, drift: drift, createdDate: Date(timeIntervalSince1970: 0),
      lastAccessDate: Date(timeIntervalSince1970: 0))
  }

  private func code(_ factor: UInt64, _ profile: OATHProfile = OATHProfile()) throws -> JSONValue {
    let secret = try #require(OATHSecret(Self.secret))
    return .string(OneTimePassword(secret: secret, profile: profile).code(at: factor))
  }

  /// The node's outcome for one code.
  private func outcome(
    _ world: World, _ code: JSONValue, _ properties: JSONObject = [:], user: String = "mira"
  ) async throws -> NodeResult {
    var visit = try world.visit(
      "OathTokenVerifierNode", properties, state: JourneyState(username: user))
    _ = try await visit.ask()
    return try await visit.answer(["": code], ["": 0])
  }

  // MARK: Verifying

  @Test func `asks for the code, and offers the recovery code where the journey allows it`() async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    for allowed in [false, true] {
      var visit = try world.visit(
        "OathTokenVerifierNode", ["isRecoveryCodeAllowed": .bool(allowed)],
        state: JourneyState(username: "MIRA"))
      #expect(visit.node.outcomes.contains("recoveryCodeOutcome") == allowed)
      let asked = try await visit.ask()
      #expect(asked.map(\.type) == ["NameCallback", "ConfirmationCallback"])
      #expect(asked[0].output("prompt") == "Enter verification code")
      #expect(asked[1].output("options") == (allowed ? ["Submit", "Use recovery code"] : ["Submit"]))
      for chosen: JSONValue in [1, "1"] {
        let result = try await visit.answer(["": ""], ["": chosen])
        // Without a way to recovery codes an empty answer is asked for again.
        #expect(result == (allowed ? .outcome("recoveryCodeOutcome") : .callbacks(asked)))
      }
      for empty: [String: JSONValue] in [[:], ["": ""], ["": " "], ["": 123456]] {
        #expect(try await visit.answer(empty, ["": 0]) == .callbacks(asked))
      }
      #expect(try await world.lockout(LockoutScope(.authenticatorCodes)) == LockoutState())
    }
  }

  @Test func `the name continues as the account writes it, and failures are forgotten`() async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    _ = try await world.store.settleAttempt(
      of: UniversalID(username: "mira", realm: "alpha"), scope: LockoutScope(.authenticatorCodes),
      isRight: false, policy: .standard, now: world.now)
    var visit = try world.visit("OathTokenVerifierNode", state: JourneyState(username: "MIRA"))
    _ = try await visit.ask()
    let text = try code(Self.step).stringValue ?? ""
    let spaced: JSONValue = .string(" \(text.prefix(3)) \(text.suffix(3))\n")
    #expect(try await visit.answer(["": spaced], ["": 0]) == .outcome("successOutcome"))
    #expect(visit.state.username == "mira")
    #expect(try await world.lockout(LockoutScope(.authenticatorCodes)) == LockoutState())
    let stored = try #require(
      try await world.store.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha")).first)
    #expect(stored.nextFactor == Self.step + 1 && stored.drift == 0 && stored.lastAccessDate == world.now)
  }

  @Test(arguments: ["mira", "otto", "nobody"])
  func `who has no authenticator, is unknown or inactive is not registered`(user: String) async throws {
    let world = try await World()
    var visit = try world.visit("OathTokenVerifierNode", state: JourneyState(username: user))
    #expect(try await visit.evaluate() == .outcome("notRegisteredOutcome"))
    #expect(visit.state["mfaMethod"] == "oath")
    var nobody = try world.visit("OathTokenVerifierNode")
    await #expect(throws: NodeError.self) { try await nobody.evaluate() }
  }

  /// Time steps off the device's last drift, whether they pass, and the drift afterwards.
  static let steps: [(drift: Int, offset: Int, passes: Bool)] = [
    (0, 0, true), (0, 2, true), (0, -2, true), (0, 3, false), (0, -3, false), (2, 2, true), (2, 3, true),
    (2, 0, true), (2, -1, false), (-4, -5, true), (-4, -6, false), (4, 5, true), (4, 6, false),
    (5, 7, false),
  ]

  @Test(arguments: steps)
  func `a code passes within the window around the learned drift, and within the maximum`(
    drift: Int, offset: Int, passes: Bool
  ) async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(drift: drift), limit: 1))
    let factor = UInt64(Int(Self.step) + offset)
    #expect(
      try await outcome(world, try code(factor)) == .outcome(passes ? "successOutcome" : "failureOutcome"))
    let stored = try await world.store.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha"))
      .first
    #expect(stored?.drift == (passes ? offset : drift))
    #expect(
      try await world.lockout(LockoutScope(.authenticatorCodes)).consecutiveFailures == (passes ? 0 : 1))
  }

  @Test
  func
    `the fifth wrong code is told as the begin of a lock, once, also when a right password has come between`()
    async throws
  {
    var world = try await World()
    let events = world.recordEvents()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    for number in 1...7 {
      #expect(try await outcome(world, "000000") == .outcome("failureOutcome"))
      if number == 3 {
        let lock = world.services.lock(
          .passwords, of: UniversalID(username: "mira", realm: "alpha"))
        #expect(try await lock.settle(isRight: true))
      }
    }
    #expect(events.of(.lockBegan).map(\.account) == ["mira"])
    #expect(events.of(.lockBegan).first?.detail["kind"] == "guesses")
  }

  @Test func `a code is accepted once, and none before it`() async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    #expect(try await outcome(world, try code(Self.step)) == .outcome("successOutcome"))
    for factor in [Self.step, Self.step - 1] {
      #expect(try await outcome(world, try code(factor)) == .outcome("failureOutcome"))
    }
    #expect(try await world.lockout(LockoutScope(.authenticatorCodes)).consecutiveFailures == 2)
    world.advance(30)
    #expect(try await outcome(world, try code(Self.step + 1)) == .outcome("successOutcome"))
  }

  @Test func `of two equal codes at once one wins`() async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    let right = try code(Self.step)
    let results = try await withThrowingTaskGroup(of: NodeResult.self) { group in
      for _ in 0..<4 { group.addTask { try await outcome(world, right) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(results.filter { $0 == .outcome("successOutcome") }.count == 1)
  }

  @Test func `a counter passes within its window, and moves on`() async throws {
    let world = try await World()
    let profile = OATHProfile(factor: .counter, digits: .eight, truncationOffset: 2, addsChecksum: true)
    let node: JSONObject = ["algorithm": "HOTP", "hotpWindowSize": 3, "totpHashAlgorithm": "HMAC_SHA256"]
    #expect(try await world.store.addOathDevice(device(profile, next: 5), limit: 1))
    for (factor, passes): (UInt64, Bool) in [
      (4, false), (9, false), (8, true), (8, false), (7, false), (9, true), (13, true), (12, false),
    ] {
      let expected = passes ? "successOutcome" : "failureOutcome"
      #expect(try await outcome(world, try code(factor, profile), node) == .outcome(expected), "\(factor)")
    }
  }

  @Test(
    arguments: [
      ["algorithm": "HOTP"], ["totpTimeInterval": 60], ["totpHashAlgorithm": "HMAC_SHA256"],
    ] as [JSONObject])
  func `an authenticator of another kind than the node wants passes with no code, and nothing is counted`(
    properties: JSONObject
  ) async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    #expect(try await outcome(world, try code(Self.step), properties) == .outcome("failureOutcome"))
    #expect(try await world.lockout(LockoutScope(.authenticatorCodes)) == LockoutState())
  }

  @Test
  func `five wrong codes lock, although the password was right each time; the right one then fails too`()
    async throws
  {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    for wrong: JSONValue in [
      "000000", "12345", "1234567", "abcdef", .string(String(repeating: "1", count: 100)),
    ] {
      #expect(try await outcome(world, wrong) == .outcome("failureOutcome"))
      _ = try await world.store.recordSuccess(
        of: UniversalID(username: "mira", realm: "alpha"), scope: .passwords, now: .distantFuture)
    }
    #expect(try await outcome(world, try code(Self.step)) == .outcome("failureOutcome"))
    world.advance(60)
    #expect(try await outcome(world, try code(Self.step + 2)) == .outcome("successOutcome"))
  }

  @Test func `a known device has five codes of its own, and is not stopped by those of others`() async throws
  {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    let cookie = try await world.knownDeviceCookie()
    func enter(_ code: JSONValue, knownDevice: Bool) async throws -> NodeResult {
      var visit = try world.visit("OathTokenVerifierNode", state: JourneyState(username: "mira"))
      if knownDevice { visit.request.headers["cookie"] = cookie }
      _ = try await visit.ask()
      return try await visit.answer(["": code], ["": 0])
    }
    for _ in 0..<5 { #expect(try await enter("000000", knownDevice: false) == .outcome("failureOutcome")) }
    #expect(try await enter(code(Self.step), knownDevice: false) == .outcome("failureOutcome"))
    #expect(try await enter(code(Self.step), knownDevice: true) == .outcome("successOutcome"))
    for _ in 0..<5 { #expect(try await enter("000000", knownDevice: true) == .outcome("failureOutcome")) }
    world.advance(30)
    #expect(try await enter(code(Self.step + 1), knownDevice: true) == .outcome("failureOutcome"))
  }

  // MARK: Registering

  private func parameters(_ uri: String) throws -> [String: String] {
    var parameters: [String: String] = [:]
    for item in try #require(URLComponents(string: uri)).queryItems ?? [] {
      #expect(parameters[item.name] == nil, "\(item.name) stands there twice")
      parameters[item.name] = item.value
    }
    return parameters
  }

  @Test
  func `registration shows a URI that authenticators read, stores the device once, and makes recovery codes`()
    async throws
  {
    let world = try await World()
    var visit = try world.visit(
      "OathRegistrationNode",
      [
        "issuer": "Bank & Söhne", "algorithm": "TOTP", "totpTimeInterval": 60,
        "totpHashAlgorithm": "HMAC_SHA512",
        "passwordLength": "EIGHT_DIGITS", "minSharedSecretLength": 128, "imgUrl": "https://example.com/a.png",
      ], state: JourneyState(username: "MIRA"))
    let asked = try await visit.ask()
    #expect(
      asked.map(\.type) == [
        "TextOutputCallback", "TextOutputCallback", "HiddenValueCallback", "ConfirmationCallback",
      ])
    let uri = try #require(asked[2].output("value")?.stringValue)
    #expect(
      uri.hasPrefix("otpauth://totp/Bank%20%26%20S%C3%B6hne:mira?issuer=Bank%20%26%20S%C3%B6hne&secret="))
    let parameters = try parameters(uri)
    #expect(parameters["image"] == "https://example.com/a.png" && parameters["b"] == "032b75")
    let read = try OATHEnrolmentParameters(host: "totp") { parameters[$0] }
    #expect(read.profile == OATHProfile(factor: .time(period: 60), hash: .sha512, digits: .eight))
    #expect(read.secret.reveal().count == 64)
    #expect(try await world.store.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha")).isEmpty)

    #expect(try await visit.answer([:], [:], ["": .string(uri)], ["": 0]) == .outcome("successOutcome"))
    let stored = try #require(
      try await world.store.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha")).first)
    #expect(stored.secret.reveal() == read.secret.reveal() && stored.profile == read.profile)
    #expect(visit.state.transient["recoveryCodes"]?.arrayValue?.count == 10)
    #expect(visit.state.transient["recoveryCodeDeviceName"] == "OATH Device")
    #expect(
      try await world.store.oathDevices.skipSetting(of: UniversalID(username: "mira", realm: "alpha"))
        == .notSkippable)

    // A second time there is nothing to do.
    var again = try world.visit("OathRegistrationNode", state: JourneyState(username: "mira"))
    #expect(try await again.evaluate() == .outcome("successOutcome"))
    #expect(
      try await world.store.oathDevices.all(of: UniversalID(username: "mira", realm: "alpha")) == [stored])
  }

  @Test func `of two registrations at once one stores its device`() async throws {
    let world = try await World()
    var results: [NodeResult] = []
    var visits = try (0..<2).map { _ in
      try world.visit("OathRegistrationNode", state: JourneyState(username: "mira"))
    }
    for index in visits.indices { _ = try await visits[index].ask() }
    for index in visits.indices { results.append(try await visits[index].answer([:], [:], [:], ["": 0])) }
    #expect(results == [.outcome("successOutcome"), .outcome("failureOutcome")])
  }

  @Test func `an OATH profile, or a push profile, spares the combined registration`() async throws {
    let world = try await World()
    #expect(try await world.store.addOathDevice(device(), limit: 1))
    var visit = try world.visit(
      "CombinedMultiFactorRegistrationNode", state: JourneyState(username: "mira"))
    #expect(try await visit.evaluate() == .outcome("successOutcome"))
  }

  @Test
  func `the combined URI has push's parameters, then those of codes; the later of two with one name stays`()
    async throws
  {
    let world = try await World()
    let policies = #"{"biometricAvailable":{},"deviceTampering":{"score":0.8}}"#
    let properties: JSONObject = [
      "issuer": "Bank", "imgUrl": "https://example.com/a.png?b=1&c", "algorithm": "HOTP",
      "passwordLength": "EIGHT_DIGITS", "policiesJson": .string(policies), "minSharedSecretLength": 64,
    ]
    var visit = Visit(
      node: try world.node("CombinedMultiFactorRegistrationNode", properties),
      request: RequestFacts(realm: "alpha", baseURL: "https://id.example.com/am"),
      state: JourneyState(username: "mira"))
    let asked = try await visit.ask()
    #expect(
      asked.map(\.type) == [
        "TextOutputCallback", "TextOutputCallback", "HiddenValueCallback", "PollingWaitCallback",
        "HiddenValueCallback",
      ])
    let uri = try #require(asked[2].output("value")?.stringValue)
    let components = try #require(URLComponents(string: uri))
    #expect(components.scheme == "mfauth" && components.host == "hotp" && components.path == "/Bank:mira")
    #expect(
      components.queryItems?.map(\.name) == [
        "l", "issuer", "m", "s", "c", "r", "a", "uid", "pid", "b", "policies", "secret", "algorithm",
        "digits",
        "counter", "oid", "image",
      ])
    let parameters = try parameters(uri)
    #expect(parameters["image"] == "https://example.com/a.png?b=1&c")
    #expect(Base64URL.decode(parameters["policies"] ?? "") == Array(policies.utf8))
    let codes = try OATHEnrolmentParameters(host: "hotp") { parameters[$0] }
    #expect(codes.profile == OATHProfile(factor: .counter, digits: .eight))
    #expect(codes.secret.reveal().count == 32)
    // Waiting goes on with the same address.
    let again = try await visit.answer([:], [:], [:], [:])
    #expect(try visit.callbacks(of: again)[2].output("value")?.stringValue == uri)
  }

  static let wrong: [(String, String, JSONValue)] = [
    ("OathTokenVerifierNode", "algorithm", "SMS"), ("OathTokenVerifierNode", "totpTimeInterval", 0),
    ("OathTokenVerifierNode", "totpTimeSteps", -1), ("OathTokenVerifierNode", "hotpWindowSize", -1),
    ("OathTokenVerifierNode", "maximumAllowedClockDrift", -1),
    ("OathTokenVerifierNode", "totpHashAlgorithm", "HMAC_MD5"),
    ("OathRegistrationNode", "postponeDeviceProfileStorage", "later"),
    ("OathRegistrationNode", "passwordLength", "SEVEN_DIGITS"),
    ("CombinedMultiFactorRegistrationNode", "minSharedSecretLength", 100_000),
    ("CombinedMultiFactorRegistrationNode", "truncationOffset", 16),
    ("CombinedMultiFactorRegistrationNode", "addChecksum", 7),
    ("CombinedMultiFactorRegistrationNode", "timeout", -1),
    ("CombinedMultiFactorRegistrationNode", "policiesJson", "{"),
    ("CombinedMultiFactorRegistrationNode", "policiesJson", "[]"),
    (
      "CombinedMultiFactorRegistrationNode", "policiesJson",
      .string("{\"a\":\"\(String(repeating: "x", count: 1024))\"}")
    ),
  ]

  @Test(arguments: wrong)
  func `a wrong property is named when the journey loads`(type: String, name: String, value: JSONValue)
    async throws
  {
    let world = try await World()
    let error = try #require(throws: JourneyFileError.self) { _ = try world.node(type, [name: value]) }
    #expect("\(error)".contains(name) && "\(error)".contains(type), "\(error)")
  }

  @Test func `doing without is noted for the method that the journey asked for`() async throws {
    let world = try await World()
    var visit = try world.visit(
      "OptOutMultiFactorAuthenticationNode", state: JourneyState(username: "mira"))
    visit.state.shared["mfaMethod"] = "oath"
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(
      try await world.store.oathDevices.skipSetting(of: UniversalID(username: "mira", realm: "alpha"))
        == .skippable)
    #expect(
      try await world.store.pushDevices.skipSetting(of: UniversalID(username: "mira", realm: "alpha"))
        == .notSet)
  }
}
