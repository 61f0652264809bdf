import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import Logging
import ProofFixtures
import SecurityEvents
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Device Binding node")
struct DeviceBindingTests {
  private static let properties: JSONObject = [
    "authenticationType": "APPLICATION_PIN", "applicationIds": ["com.acme.wallet"],
    "title": ["en": "Protect this phone", "de": "Gerät schützen"], "subtitle": [:], "timeout": 60,
  ]
  private let device = ProofDevice()

  private func visit(_ world: World, _ more: JSONObject = [:], username: String? = "mira") throws -> Visit {
    var properties = Self.properties
    properties.merge(more)
    return try world.visit("DeviceBindingNode", properties, state: JourneyState(username: username))
  }

  /// Asks, answers with a proof by `device`, and returns what the node decides.
  private func bind(
    _ visit: inout Visit, in world: World, device: ProofDevice? = nil, name: String = "Phone",
    _ change: (inout ProofParts) -> Void = { _ in }
  ) async throws -> NodeResult {
    let callback = try await #require(visit.ask().first)
    let jws = try (device ?? self.device).proof(
      subject: callback.output("userId")?.stringValue ?? "",
      challenge: callback.output("challenge")?.stringValue ?? "", now: world.now, binds: true, change)
    return try await visit.answer([
      "jws": .string(jws), "deviceName": .string(name), "deviceId": "3f0a", "clientError": "",
    ])
  }

  @Test func `the callback has PingAM's fields in its order`() async throws {
    let world = try await World()
    var visit = try visit(world)
    visit.request.locales = ["de-CH"]
    let callbacks = try await visit.ask()
    let callback = try #require(callbacks.first)
    #expect(callbacks.count == 1)
    #expect(callback.type == "DeviceBindingCallback")
    #expect(
      callback.outputs.map(\.name) == [
        "userId", "username", "authenticationType", "challenge", "title", "subtitle", "description",
        "timeout",
        "attestation",
      ])
    #expect(callback.inputs.map(\.name) == ["jws", "deviceName", "deviceId", "clientError"])
    #expect(callback.output("userId") == .string(miraID))
    #expect(callback.output("username") == "mira")
    #expect(callback.output("authenticationType") == "APPLICATION_PIN")
    #expect(callback.output("title") == "Gerät schützen")
    #expect(callback.output("subtitle") == "Cryptography device binding")
    #expect(callback.output("timeout") == 60)
    #expect(callback.output("attestation") == false)
    let challenge = try #require(callback.output("challenge")?.stringValue)
    #expect(Data(base64Encoded: challenge)?.count == 32)
  }

  @Test func `each visit has its own challenge`() async throws {
    let world = try await World()
    var first = try visit(world)
    var second = try visit(world)
    #expect(try await first.ask().first?.output("challenge") != second.ask().first?.output("challenge"))
  }

  @Test func `a binding whose event cannot be written is no refusal, because the device is bound`()
    async throws
  {
    struct Full: SecurityEventSink {
      func record(_ event: SecurityEvent, durably: Bool) async throws {
        throw SecurityEventError("disk full")
      }
    }
    var world = try await World()
    world.events = SecurityEvents(
      sink: Full(), clock: { Date(timeIntervalSince1970: 0) }, logger: Logger(label: "test"))
    var visit = try visit(world)
    do {
      _ = try await bind(&visit, in: world)
      Issue.record("the event was written")
    } catch { #expect((error as? any ServiceFailure)?.isUnavailability == true) }
    #expect(try await world.devices().count == 1)
  }

  @Test func `a bound device is stored with its public key`() async throws {
    let world = try await World()
    var visit = try visit(world)
    #expect(try await bind(&visit, in: world) == .outcome("success"))
    let record = try #require(await world.devices().first)
    #expect(record.uuid == device.keyID)
    #expect(record.deviceID == "3f0a")
    #expect(record.deviceName == "Phone")
    #expect(record.key == device.jwk)
    #expect(record.createdDate == world.now)
    #expect(record.lastAccessDate == world.now)
    #expect(visit.state.transient.isEmpty)
  }

  @Test func `RS512 with a minimal key is stored with kid and alg, and without certificates`() async throws {
    let world = try await World()
    let device = try ProofDevice(rsa: .rs512)
    var visit = try visit(world)
    let result = try await bind(&visit, in: world, device: device) { parts in
      var jwk = device.jwk
      for member in ["use", "alg", "kid"] { jwk[member] = nil }
      jwk["x5c"] = ["AAAA"]
      parts.header["jwk"] = .object(jwk)
      parts.header["typ"] = nil
    }
    #expect(result == .outcome("success"))
    #expect(try await world.devices().first?.key == device.jwk)
  }

  @Test func `a proof that fails a check stores nothing and says why to the operator only`() async throws {
    let world = try await World()
    var visit = try visit(world)
    let result = try await bind(&visit, in: world) { $0.claims["iss"] = "com.evil.wallet" }
    #expect(result == .outcome("failure"))
    #expect(visit.reasons == [ProofFailure.issuerNotAllowed.text])
    #expect(try await world.devices().isEmpty)
  }

  @Test(
    arguments: [
      ("  Mira's phone \n", "Mira's phone"), ("", "New Device"), (" \t ", "New Device"),
      ("a\u{0}b\u{1b}c", "abc"),
      (String(repeating: "n", count: 200), String(repeating: "n", count: 120)),
      (String(repeating: "👩‍👩‍👧", count: 120), String(repeating: "👩‍👩‍👧", count: 24)),
    ])
  func `device names are cleaned`(given: String, stored: String) async throws {
    let world = try await World()
    var visit = try visit(world)
    _ = try await bind(&visit, in: world, name: given)
    #expect(try await world.devices().first?.deviceName == stored)
  }

  /// Answers without an acceptable proof, the node's client error outcomes, and where they lead.
  static let replies: [(inputs: [String: JSONValue], outcomes: JSONValue?, outcome: String)] = [
    (["clientError": "Abort"], nil, "Abort"), (["clientError": "Unsupported"], nil, "Unsupported"),
    (["clientError": "Timeout"], nil, "Timeout"),
    (["clientError": "ClientNotRegistered"], nil, "ClientNotRegistered"),
    (["clientError": "Abort", "jws": "x"], nil, "Abort"), (["clientError": "abort"], nil, "failure"),
    (["clientError": "CustomUnReg"], nil, "failure"),
    (["clientError": "CustomUnReg"], ["CustomUnReg"], "CustomUnReg"),
    (["clientError": "Abort"], [], "failure"), (["clientError": "success"], nil, "failure"),
    (["clientError": "exceedDeviceLimit"], nil, "failure"), (["clientError": ""], nil, "failure"),
    (["jws": ""], nil, "failure"), (["jws": "a.b.c"], nil, "failure"), ([:], nil, "failure"),
    (["jws": 1], nil, "failure"),
  ]

  @Test(arguments: replies)
  func `clients choose client error outcomes and no others`(
    inputs: [String: JSONValue], outcomes: JSONValue?, outcome: String
  ) async throws {
    let world = try await World()
    var visit = try visit(world, outcomes.map { ["clientErrorOutcomes": $0] } ?? [:])
    _ = try await visit.ask()
    #expect(try await visit.answer(inputs) == .outcome(outcome))
    #expect(visit.reasons.count == 1, "the operator learns what the device answered: \(visit.reasons)")
    #expect(try await world.devices().isEmpty)
  }

  @Test(arguments: [true, false])
  func `a late answer takes Timeout, or failure where that is not an outcome`(hasTimeout: Bool) async throws {
    let world = try await World()
    var visit = try visit(world, hasTimeout ? [:] : ["clientErrorOutcomes": ["Abort"]])
    _ = try await visit.ask()
    world.advance(120)
    #expect(try await visit.answer(["jws": "a.b.c"]) == .outcome("failure"))
    world.advance(0.001)
    #expect(try await visit.answer(["jws": "a.b.c"]) == .outcome(hasTimeout ? "Timeout" : "failure"))
    #expect(visit.reasons.first?.contains("timeout") == true)
  }

  @Test func `the device limit spares the prompt, and holds when two answer at once`() async throws {
    let world = try await World()
    var first = try visit(world, ["maxSavedDevices": 1])
    var second = try visit(world, ["maxSavedDevices": 1])
    _ = try await second.ask()
    #expect(try await bind(&first, in: world) == .outcome("success"))
    let challenge = try #require(second.notes["challenge"]?.stringValue)
    let jws = try ProofDevice().proof(subject: miraID, challenge: challenge, now: world.now, binds: true)
    #expect(try await second.answer(["jws": .string(jws)]) == .outcome("exceedDeviceLimit"))
    var third = try visit(world, ["maxSavedDevices": 1])
    #expect(try await third.evaluate() == .outcome("exceedDeviceLimit"))
    #expect(try await world.devices().count == 1)
  }

  @Test func `the limit's outcome exists only with a limit`() async throws {
    let world = try await World()
    #expect(
      try visit(world).node.outcomes == [
        "success", "failure", "Abort", "Unsupported", "Timeout", "ClientNotRegistered",
      ])
    #expect(try visit(world, ["maxSavedDevices": 3]).node.outcomes[2] == "exceedDeviceLimit")
  }

  @Test func `one key may serve two users, not one user twice`() async throws {
    let world = try await World()
    var mira = try visit(world)
    #expect(try await bind(&mira, in: world) == .outcome("success"))
    var again = try visit(world)
    #expect(try await bind(&again, in: world, device: device.renamed("other")) == .outcome("failure"))
    var sameID = try visit(world)
    #expect(
      try await bind(&sameID, in: world, device: ProofDevice(keyID: device.keyID)) == .outcome("failure"))
    var rosa = try visit(world, username: "rosa")
    #expect(try await bind(&rosa, in: world) == .outcome("success"))
    #expect(try await world.devices().count == 1)
  }

  @Test(arguments: [nil, "nobody"])
  func `without a user, or with an unknown one, the node cannot work`(username: String?) async throws {
    let world = try await World()
    var visit = try visit(world, username: username)
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
  }

  @Test func `an inactive user binds nothing`() async throws {
    let world = try await World()
    var visit = try visit(world, username: "otto")
    #expect(try await visit.evaluate() == .outcome("failure"))
  }

  @Test func `attestation locked out devices other than Android's, which have none to give`() async throws {
    let world = try await World()
    var visit = try visit(world, ["attestation": true])
    #expect(!visit.node.warnings.isEmpty)
    let result = try await bind(&visit, in: world, device: ProofDevice(rsa: .rs256))
    #expect(result == .outcome("success"))
    let record = try #require(await world.devices().first)
    #expect(record.attestation == nil)
  }

  @Test(arguments: ["android", "Android", "chain", "tpm", "required"])
  func
    `without roots an Android device, one with a chain, and any where attestation is required, are refused`(
      case name: String
    ) async throws
  {
    let world = try await World()
    let device = try ProofDevice(rsa: .rs256)
    var visit = try visit(
      world, name == "required" ? ["attestationRequired": true] : ["attestation": true])
    #expect(!visit.node.warnings.isEmpty)
    let result = try await bind(&visit, in: world, device: device) { parts in
      var jwk = device.jwk
      switch name {
      case "required": return
      case "chain": jwk["x5c"] = ["AAAA"]
      case "tpm": jwk["tpm"] = [:]
      default: parts.claims["platform"] = .string(name)
      }
      parts.header["jwk"] = .object(jwk)
    }
    #expect(result == .outcome("failure"))
    #expect(visit.reasons.first?.contains("attestation") == true)
    #expect(try await world.devices().isEmpty)
  }

  /// Properties that no node can be made with.
  static let broken: [(property: String, value: JSONValue)] = [
    ("authenticationType", "FACE"), ("authenticationType", 1), ("applicationIds", []),
    ("applicationIds", [""]),
    ("applicationIds", [[]]), ("maxSavedDevices", -1), ("timeout", -1), ("skewAllowance", -1),
    ("postponeDeviceProfileStorage", "maybe"), ("clientErrorOutcomes", [[]]),
  ]

  @Test(
    arguments: [
      (["Abort", "Abort"], ["Abort"]), (["success"], []), (["Failure", "Timeout"], ["Timeout"]), ([""], []),
    ] as [(JSONValue, [String])])
  func `no client may choose an outcome that is the server's`(errors: JSONValue, kept: [String]) async throws
  {
    let visit = try visit(try await World(), ["clientErrorOutcomes": errors])
    #expect(visit.node.outcomes == ["success", "failure"] + kept)
  }

  @Test(arguments: ["attestation", "attestationRequired"])
  func `an attestation that is perhaps asked for is asked for`(property: String) async throws {
    var visit = try visit(try await World(), [property: "maybe"])
    #expect(try await visit.ask()[0].output("attestation") == true)
  }

  /// PingAM exports 0 where only the journey's own limit holds; the earlier SDK takes 0 for a time that is over.
  @Test func `without a limit of its own the node sends the journey's, and takes an answer that late`()
    async throws
  {
    let world = try await World()
    var limited = try visit(world, ["timeout": 5])
    _ = try await limited.ask()
    var visit = try visit(world, ["timeout": 0])
    #expect(try await visit.ask()[0].output("timeout") == 300)
    world.advance(290)
    #expect(try await limited.answer(["jws": "x"]) == .outcome("Timeout"))
    #expect(try await visit.answer(["jws": "x"]) == .outcome("failure"))
  }

  @Test(arguments: broken)
  func `a property that cannot be meant, and that nothing can stand for, is named`(
    property: String, value: JSONValue
  ) async throws {
    let world = try await World()
    let error = try #require(throws: JourneyFileError.self) {
      try visit(world, JSONObject([(property, value)]))
    }
    #expect(error.property == property)
    #expect(error.nodeType == "DeviceBindingNode")
  }

  // MARK: Device Binding Storage node

  private let postponed: JSONObject = ["postponeDeviceProfileStorage": true, "maxSavedDevices": 1]

  @Test func `a postponed device is in state, not in the store, until the storage node puts it there`()
    async throws
  {
    let world = try await World()
    var visit = try visit(world, postponed)
    #expect(try await bind(&visit, in: world) == .outcome("success"))
    #expect(try await world.devices().isEmpty)
    let inState = try #require(visit.state["DeviceBinding.DEVICE"]?.objectValue)
    #expect(
      inState == [
        "uuid": .string(device.keyID), "deviceName": "Phone", "deviceId": "3f0a", "recoveryCodes": [],
        "key": .object(device.jwk), "createdDate": 1_800_000_000_000, "lastAccessDate": 1_800_000_000_000,
      ])
    var storage = try world.visit("DeviceBindingStorageNode", state: visit.state)
    #expect(try await storage.evaluate() == .outcome("true"))
    #expect(try await world.devices().map(\.uuid) == [device.keyID])
    #expect(storage.state.transient.isEmpty)
    var again = try world.visit("DeviceBindingStorageNode", state: storage.state)
    #expect(try await again.evaluate() == .outcome("false"))
  }

  @Test func `the storage node enforces the binding node's limit`() async throws {
    let world = try await World()
    var visit = try visit(world, postponed)
    _ = try await bind(&visit, in: world)
    try await ProofDevice().bound(in: world)
    var storage = try world.visit("DeviceBindingStorageNode", state: visit.state)
    #expect(try await storage.evaluate() == .outcome("false"))
    #expect(try await world.devices().count == 1)
  }

  /// What may have become of the state between the two nodes.
  static let changes: [(title: String, outcome: String, change: @Sendable (inout JourneyState) -> Void)] = [
    ("nothing", "true", { _ in }),
    (
      "its older name", "true",
      {
        $0.shared["DeviceBindingNode.DEVICE"] = $0.transient["DeviceBinding.DEVICE"]
        $0.transient["DeviceBinding.DEVICE"] = nil
      }
    ),
    ("another user", "false", { $0.username = "rosa" }),
    ("an unknown user", "false", { $0.username = "nobody" }),
    ("no device", "false", { $0.transient["DeviceBinding.DEVICE"] = nil }),
    ("no object", "false", { $0.transient["DeviceBinding.DEVICE"] = "device" }),
    ("another uuid", "false", { edit(&$0) { $0["uuid"] = "other" } }),
    ("no key", "false", { edit(&$0) { $0["key"] = nil } }),
    ("a name set by a script", "true", { edit(&$0) { $0["deviceName"] = "Named" } }),
  ]

  private static func edit(_ state: inout JourneyState, _ body: (inout JSONObject) -> Void) {
    var device = state.transient["DeviceBinding.DEVICE"]?.objectValue ?? [:]
    body(&device)
    state.transient["DeviceBinding.DEVICE"] = .object(device)
  }

  @Test(arguments: changes.indices)
  func `the storage node stores what is still a device of this user`(index: Int) async throws {
    let each = Self.changes[index]
    let world = try await World()
    var visit = try visit(world, postponed)
    _ = try await bind(&visit, in: world)
    each.change(&visit.state)
    var storage = try world.visit("DeviceBindingStorageNode", state: visit.state)
    #expect(try await storage.evaluate() == .outcome(each.outcome), "\(each.title)")
    #expect(try await world.devices().count == (each.outcome == "true" ? 1 : 0))
    #expect(storage.state.transient["DeviceBinding.DEVICE"] == nil)
    if each.outcome == "false" { #expect(storage.reasons.count == 1) }
  }

  @Test func `without a user the storage node cannot work`() async throws {
    var storage = try await World().visit("DeviceBindingStorageNode")
    await #expect(throws: NodeError.self) { try await storage.evaluate() }
  }
}
