import Foundation
import JourneyEngine
import JourneyNodes
import JourneyStore
import ProofFixtures
import StrictJSON
import Testing

/// The steps that this engine's sealed positions were used for.
private struct StoredSteps: StepLedger {
  let store: SQLiteStore
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool {
    try await store.consume(key, until: expiry)
  }
  func prolong(_ key: [UInt8], until expiry: Date) async throws {
    try await store.prolong(key, until: expiry)
  }
  func expiry(of key: [UInt8]) async throws -> Date? { try await store.expiry(of: key) }
}

@Suite("Journeys that come with the server")
struct BundledJourneyTests {
  static let names = [
    "Login", "BindDevice", "BindDeviceNoPin", "BindDeviceBiometric", "BindDeviceBiometricOrCredential",
    "SignTransaction", "ApproveTransaction", "SignIn", "PushRegister", "PushSignIn", "PushNumber", "PushCode",
    "PushBiometric", "StepUp", "ProveStrongestFactor",
  ]
  private static let directory = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "journeys")

  private func catalog(_ world: World) throws -> JourneyCatalog {
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: world.services))
    for name in Self.names {
      let file = Self.directory.appending(path: "\(name).journey.json")
      #expect(try catalog.load(Array(Data(contentsOf: file)), realm: "alpha", source: file.path()) == [name])
    }
    return catalog
  }

  private func engine(_ world: World) throws -> JourneyEngine {
    let catalog = try catalog(world)
    return JourneyEngine(
      catalogs: { catalog }, sealing: { [SealingKey(serverSecret: Array(repeating: 1, count: 32))] },
      steps: StoredSteps(store: world.store), clock: world.services.clock,
      randomBytes: world.services.randomBytes)
  }

  private func step(_ progress: JourneyProgress) throws -> JourneyStep {
    guard case .step(let step) = progress else { throw Unexpected("no step: \(progress)") }
    return step
  }

  private func output(_ name: String, of callback: JSONObject) -> String {
    callback["output"]?.arrayValue?.first { $0["name"]?.stringValue == name }?["value"]?.stringValue ?? ""
  }

  private func answer(_ step: JourneyStep, _ values: [String: JSONValue]) -> [JSONValue] {
    step.callbacks.map { callback in
      var callback = callback
      let inputs = (callback["input"]?.arrayValue ?? []).map { input -> JSONValue in
        let name = input["name"]?.stringValue ?? ""
        return ["name": .string(name), "value": values[name] ?? ""]
      }
      callback["input"] = .array(inputs)
      return .object(callback)
    }
  }

  @Test func `they load without a warning, and nothing but success leads to success`() async throws {
    let catalog = try await catalog(World())
    #expect(catalog.warnings.isEmpty)
    #expect(catalog.summaries(realm: "alpha").map(\.name) == Self.names.sorted())
    #expect(catalog.summaries(realm: "alpha").allSatisfy { !$0.description.isEmpty })
    #expect(
      catalog.summaries(realm: "alpha").filter { !$0.canStart }.map(\.name) == ["ProveStrongestFactor"])
  }

  @Test func `node ids are unique over all of them`() async throws {
    let catalog = try await catalog(World())
    let ids = Self.names.flatMap { name in
      ["nodes", "innerNodes"].flatMap {
        catalog.document(journey: name, realm: "alpha")?[$0]?.objectValue?.names ?? []
      }
    }
    #expect(Set(ids).count == ids.count)
    #expect(ids.allSatisfy { UUID(uuidString: $0) != nil })
  }

  @Test(arguments: [(World.password, true), ("wrong", false)])
  func `login by page`(password: String, succeeds: Bool) async throws {
    let world = try await World()
    let engine = try engine(world)
    let page = try step(await engine.start(journey: nil, request: world.request))
    #expect(page.callbacks.map { $0["type"] } == ["NameCallback", "PasswordCallback"])
    #expect(page.header == "Sign in")
    #expect(page.stage == "UsernamePassword")
    let end = try await engine.resume(
      authID: page.authID, callbacks: answer(page, ["IDToken1": "Mira", "IDToken2": .string(password)]),
      request: world.request)
    switch end {
    case .success(let success):
      #expect(succeeds && success.username == "mira")
      #expect(success.state.transient.isEmpty)
    case .failure(let failure):
      #expect(!succeeds && failure.message == "Login failure")
    case .step: Issue.record("another step")
    }
  }

  @Test(arguments: [(World.password, true), ("wrong", false)])
  func `login by headers, without a page`(password: String, succeeds: Bool) async throws {
    let world = try await World()
    var request = world.request
    request.headers = ["x-openam-username": "mira", "x-openam-password": password]
    switch try await engine(world).start(journey: "Login", request: request) {
    case .success(let success): #expect(succeeds && success.username == "mira")
    case .failure: #expect(!succeeds)
    case .step: Issue.record("another step")
    }
  }

  @Test(
    arguments: [
      ("BindDevice", "APPLICATION_PIN"), ("BindDeviceNoPin", "NONE"),
      ("BindDeviceBiometric", "BIOMETRIC_ONLY"),
      ("BindDeviceBiometricOrCredential", "BIOMETRIC_ALLOW_FALLBACK"),
    ])
  func `bind a device, sign a transaction with it, sign in with it`(
    binding: String, authenticationType: String
  ) async throws {
    let world = try await World()
    let engine = try engine(world)
    let device = ProofDevice()
    func proof(_ step: JourneyStep, binds: Bool) throws -> JSONValue {
      .string(
        try device.proof(
          subject: miraID, challenge: output("challenge", of: step.callbacks[0]), now: world.now, binds: binds
        ) { $0.claims["iss"] = "com.sealring.cli" })
    }
    var request = world.request
    request.headers = ["x-openam-username": "mira", "x-openam-password": World.password]
    let bind = try step(await engine.start(journey: binding, request: request))
    #expect(output("authenticationType", of: bind.callbacks[0]) == authenticationType)
    let bound = try await engine.resume(
      authID: bind.authID, callbacks: answer(bind, ["IDToken1jws": proof(bind, binds: true)]),
      request: world.request)
    guard case .success = bound else { throw Unexpected("\(bound)") }

    let collect = try step(await engine.start(journey: "SignTransaction", request: world.request))
    let sign = try step(
      await engine.resume(
        authID: collect.authID, callbacks: answer(collect, ["IDToken1": "Pay 100"]), request: world.request))
    #expect(output("challenge", of: sign.callbacks[0]) == "Pay 100")
    let signed = try await engine.resume(
      authID: sign.authID, callbacks: answer(sign, ["IDToken1jws": proof(sign, binds: false)]),
      request: world.request)
    guard case .success(let success) = signed else { throw Unexpected("\(signed)") }
    #expect(success.username == "mira")
    #expect(success.state.shared["DeviceSigningVerifierNode.JWT"] != nil)

    let signIn = try step(await engine.start(journey: "SignIn", request: world.request))
    let signedIn = try await engine.resume(
      authID: signIn.authID, callbacks: answer(signIn, ["IDToken1jws": proof(signIn, binds: false)]),
      request: world.request)
    guard case .success(let session) = signedIn else { throw Unexpected("\(signedIn)") }
    #expect(session.username == "mira")
  }

  @Test(arguments: ["Abort", "Unsupported", "Timeout", "ClientNotRegistered", "?"])
  func `every client error ends in a failed login`(error: String) async throws {
    let world = try await World()
    let engine = try engine(world)
    let ask = try step(await engine.start(journey: "SignIn", request: world.request))
    let end = try await engine.resume(
      authID: ask.authID, callbacks: answer(ask, ["IDToken1clientError": .string(error)]),
      request: world.request)
    guard case .failure(let failure) = end else { throw Unexpected("\(end)") }
    #expect(failure.message == "Login failure")
  }

  @Test func `a storage node behind a binding node that stores by itself is a warning`() async throws {
    let world = try await World()
    var file = try #require(try catalog(world).document(journey: "BindDevice", realm: "alpha"))
    let inside = try ["StepUp", "ProveStrongestFactor"].map { name in
      try #require(try catalog(world).document(journey: name, realm: "alpha"))
    }
    var nodes = try #require(file["nodes"]?.objectValue)
    var tree = try #require(file["tree"]?.objectValue)
    var placed = try #require(tree["nodes"]?.objectValue)
    let binding = try #require(nodes.names.first { nodes[$0]?["_type"]?["_id"] == "DeviceBindingNode" })
    nodes["s"] = ["_id": "s", "_type": ["_id": "DeviceBindingStorageNode"]]
    placed["s"] = [
      "nodeType": "DeviceBindingStorageNode",
      "connections": [
        "true": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0", "false": "e301438c-0bd0-429c-ab0c-66126501069a",
      ],
    ]
    var place = try #require(placed[binding]?.objectValue)
    var connections = try #require(place["connections"]?.objectValue)
    connections["success"] = "s"
    place["connections"] = .object(connections)
    placed[binding] = .object(place)
    tree["nodes"] = .object(placed)
    file["tree"] = .object(tree)
    func warnings() throws -> [String] {
      file["nodes"] = .object(nodes)
      var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: world.services))
      for journey in inside { try catalog.load(journey.serialized, realm: "alpha", source: "inside") }
      try catalog.load(file.serialized, realm: "alpha", source: "test")
      return catalog.warnings.map(\.problem)
    }
    #expect(
      try warnings() == [
        "needs DeviceBinding.DEVICE in the journey's state, but no node before it puts it there"
      ])
    var postponing = try #require(nodes[binding]?.objectValue)
    postponing["postponeDeviceProfileStorage"] = true
    nodes[binding] = .object(postponing)
    #expect(try warnings().isEmpty)
  }
}
