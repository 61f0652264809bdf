import Bytes
import CommonFixtures
import Concurrency
import Foundation
@testable import LoadTesting
import ProofFixtures
import StrictJSON
import Testing

/// A server made of answers.
struct ScriptedTransport: LoadTransport {
  private let sent = Locked<[LoadRequest]>([])
  let answer: @Sendable (LoadRequest) async throws -> LoadAnswer

  init(_ answer: @escaping @Sendable (LoadRequest) async throws -> LoadAnswer) { self.answer = answer }

  var requests: [LoadRequest] { sent.withLock { $0 } }

  func send(_ request: LoadRequest) async throws -> LoadAnswer {
    sent.withLock { $0.append(request) }
    return try await answer(request)
  }
}

@Suite struct DriverTests {
  private static let success = LoadAnswer(status: 200, body: Array(#"{"tokenId":"t","successUrl":"/"}"#.utf8))

  private static func callback(_ type: String, _ output: JSONObject, inputs: [String] = []) -> JSONValue {
    [
      "type": .string(type),
      "output": .array(output.map { ["name": .string($0.name), "value": $0.value] }),
      "input": .array(inputs.map { ["name": .string("IDToken1\($0)"), "value": ""] }),
    ]
  }

  private static func page(_ callbacks: JSONValue...) -> LoadAnswer {
    LoadAnswer(
      status: 200,
      body: (["authId": "position", "callbacks": .array(callbacks)] as JSONValue).serialized)
  }

  private static let signing = ["jws", "clientError"]
  private static let binding = ["jws", "deviceName", "deviceId", "clientError"]
  private static let challenge = "c2l4dHktZm91ciBieXRlcyBvZiByYW5kb21uZXNzISE="

  private static func bindPage() -> LoadAnswer {
    page(
      callback(
        "DeviceBindingCallback",
        ["userId": "id=load-1,ou=user,o=alpha,ou=services,ou=am-config", "challenge": .string(challenge)],
        inputs: binding))
  }

  /// Plays one run of the first device.
  private func play(
    _ scenario: LoadScenario, _ transport: ScriptedTransport, fleet: LoadFleet? = nil,
    _ change: (inout ScenarioDriver.Settings) -> Void = { _ in }
  ) async throws -> LoadReport {
    let clock = JumpingClock()
    let target = try #require(LoadTarget(address: "http://127.0.0.1:8080/am", realm: "alpha"))
    var settings = ScenarioDriver.Settings(scenario: scenario, journey: "Journey")
    settings.password = "a password"
    change(&settings)
    let driver = ScenarioDriver(
      settings, target: target, fleet: try fleet ?? LoadFleet(usernames: ["load-1"], folder: nil),
      transport: transport)
    let plan = LoadPlan(
      scenario: scenario, journey: "Journey", devices: 1, pacing: .rate(1), duration: .seconds(1))
    let recorder = LoadRecorder()
    await LoadRun(plan, driver: driver, clock: LoadClock(clock), recorder: recorder).run()
    return recorder.report(of: plan, start: 0)
  }

  /// A device that is bound.
  private func boundFleet() async throws -> LoadFleet {
    let fleet = try LoadFleet(usernames: ["load-1"], folder: nil)
    let transport = ScriptedTransport { $0.url.contains("authIndexType") ? Self.bindPage() : Self.success }
    #expect(try await play(.bind, transport, fleet: fleet).completed == 1)
    return fleet
  }

  @Test func `a key is bound, and signs in`() async throws {
    let fleet = try await boundFleet()
    let transport = ScriptedTransport { request in
      request.url.contains("authIndexType")
        ? Self.page(
          Self.callback(
            "DeviceSigningVerifierCallback", ["challenge": .string(Self.challenge)], inputs: Self.signing))
        : Self.success
    }
    let report = try await play(.signIn, transport, fleet: fleet)
    #expect(report.completed == 1 && report.steps.map(\.step) == [.start, .sign])
    let body = try JSONValue(parsing: try #require(transport.requests.last?.body))
    let proof = try #require(body["callbacks"]?[0]?["input"]?[0]?["value"]?.stringValue)
    let claims = try UnverifiedToken(proof).claims
    #expect(claims["challenge"]?.stringValue == Self.challenge && claims["txn"] == nil)
    #expect(claims["sub"]?.stringValue?.hasPrefix("id=load-1,") == true)
    #expect(transport.requests[0].url.hasSuffix("authenticate?authIndexType=service&authIndexValue=Journey"))
  }

  @Test(arguments: ["ChoiceCallback", "RedirectCallback", "TextInputCallback", ""])
  func `a question that the scenario cannot answer is named`(type: String) async throws {
    let transport = ScriptedTransport { _ in Self.page(Self.callback(type, [:], inputs: [""])) }
    let report = try await play(.bind, transport)
    let error = try #require(report.errors.entries.first)
    #expect(error.kind == .unanswerable && report.endings == [.failed] && transport.requests.count == 1)
    #expect(error.detail == "journey Journey asks for \(type), which the scenario bind cannot answer")
  }

  @Test func `a password that was not given is asked for by its option`() async throws {
    let transport = ScriptedTransport { _ in
      Self.page(Self.callback("NameCallback", [:], inputs: [""]), Self.callback("PasswordCallback", [:]))
    }
    let report = try await play(.bind, transport) { $0.password = nil }
    #expect(report.errors.entries.first?.detail.contains("--password-stdin") == true)
  }

  @Test func `a journey that ends without what is loaded measures something else`() async throws {
    let report = try await play(.bind, ScriptedTransport { _ in Self.success })
    #expect(report.errors.entries.first?.kind == .unanswerable && report.completed == 0)
    #expect(report.errors.entries.first?.detail.contains("DeviceBindingCallback") == true)
  }

  @Test func `a journey that goes in a circle ends`() async throws {
    let transport = ScriptedTransport { _ in
      Self.page(Self.callback("PollingWaitCallback", ["waitTime": "999999999999"]))
    }
    let report = try await play(.bind, transport)
    #expect(report.errors.entries.first?.kind == .unanswerable && transport.requests.count <= 41)
    // And no page makes a device wait for years.
    #expect(report.elapsed < .seconds(41 * 60))
  }

  @Test func `a server cannot send the devices to another one`() async throws {
    let elsewhere = "https://victim.example/am/json/alpha/push/sns/message"
    func encoded(_ text: String) -> String { Base64URL.encode(Array(text.utf8)) }
    let secret = Base64URL.encode([UInt8](repeating: 7, count: 32))
    let uri =
      "pushauth://push/Bank:load-1?r=\(encoded(elsewhere + "?_action=register"))&a=\(encoded(elsewhere + "?_action=authenticate"))&s=\(secret)&c=\(secret)&m=REGISTER:1"
    let transport = ScriptedTransport { _ in
      Self.page(
        Self.callback("HiddenValueCallback", ["id": "mfaDeviceRegistration", "value": .string(uri)]))
    }
    let report = try await play(.pushRegister, transport)
    #expect(report.errors.entries.first?.detail.contains("victim.example") == true)
    #expect(transport.requests.count == 1)
  }

  @Test func `a transaction other than the one that was made is not signed`() async throws {
    let fleet = try await boundFleet()
    let offer: JSONValue = [
      "version": 1, "id": "another", "fields": ["text": "Give it all away"],
      "nonce": .string(Base64URL.encode([UInt8](repeating: 1, count: 32))),
    ]
    let offers: [JSONObject] = [
      ["challenge": .string(Self.challenge), "transaction": offer], ["challenge": .string(Self.challenge)],
      ["challenge": .string(Self.challenge), "transaction": "unreadable"],
    ]
    for output in offers {
      let transport = ScriptedTransport { request in
        if request.url.contains("_action=create") {
          return LoadAnswer(status: 201, body: Array(#"{"_id":"mine"}"#.utf8))
        }
        return Self.page(Self.callback("DeviceSigningVerifierCallback", output, inputs: Self.signing))
      }
      let report = try await play(.transaction, transport, fleet: fleet) {
        $0.application = TransactionApplication(id: "shop", secret: "a secret of a test")
      }
      #expect(report.errors.byKind.map(\.kind) == [.malformed] && transport.requests.count == 2, "\(output)")
    }
    // A sign-in does not sign a transaction either.
    let transport = ScriptedTransport { _ in
      Self.page(Self.callback("DeviceSigningVerifierCallback", offers[0], inputs: Self.signing))
    }
    #expect(try await play(.signIn, transport, fleet: fleet).errors.byKind.map(\.kind) == [.malformed])
  }

  @Test(arguments: [
    (401, LoadFailure.Kind.refused), (403, .refused), (429, .busy), (503, .busy), (500, .serverError),
    (504, .serverError), (400, .rejected), (404, .rejected), (302, .rejected), (200, .malformed),
  ])
  func `each status has its kind of failure`(status: Int, kind: LoadFailure.Kind) async throws {
    let transport = ScriptedTransport { _ in
      LoadAnswer(status: status, body: Array(#"{"message":"Because"}"#.utf8))
    }
    let report = try await play(.bind, transport)
    #expect(report.errors.byKind.map(\.kind) == [kind] && report.failed == 1)
  }

  @Test(arguments: [
    "", "[]", "{", #"{"callbacks":[]}"#, #"{"callbacks":[{}]}"#, #"{"authId":"a","callbacks":[1]}"#,
    #"{"authId":"a","callbacks":[{"type":"NameCallback"}]}"#, #"{"tokenId":""}"#,
    #"{"authId":"a","callbacks":[{"type":"DeviceBindingCallback","output":[],"input":[]}]}"#,
    #"{"authId":"a","callbacks":[{"type":"HiddenValueCallback","output":[{"name":"id","value":"mfaDeviceRegistration"}]}]}"#,
  ])
  func `an answer that is not the protocol's is a failure of its own kind`(body: String) async throws {
    for scenario in [LoadScenario.bind, .pushRegister] {
      let transport = ScriptedTransport { _ in LoadAnswer(status: 200, body: Array(body.utf8)) }
      let report = try await play(scenario, transport)
      #expect(
        report.failed == 1
          && report.errors.byKind.allSatisfy { [.malformed, .unanswerable].contains($0.kind) },
        "\(report.errors.entries)")
    }
  }

  private static func passkeyPage(_ data: JSONObject) -> LoadAnswer {
    page(
      callback("MetadataCallback", ["data": .object(data)]),
      callback("HiddenValueCallback", ["id": "webAuthnOutcome", "value": "false"], inputs: [""]))
  }

  @Test(arguments: [true, false])
  func `a passkey is registered and used, at servers old and new`(isNew: Bool) async throws {
    let fleet = try LoadFleet(usernames: ["load-1"], folder: nil)
    let party: JSONObject =
      isNew
      ? ["_action": "webauthn", "_type": "WebAuthn", "_relyingPartyId": "localhost"]
      : ["relyingPartyId": "rpId: \"localhost\","]
    for scenario in [LoadScenario.passkeyRegister, .passkey] {
      var data = party
      data["challenge"] = .string(Self.challenge)
      if scenario == .passkeyRegister {
        data[isNew ? "_pubKeyCredParams" : "pubKeyCredParams"] = isNew ? [["alg": -7]] : "[ { alg: -7 } ]"
        data["userId"] = "bG9hZC0x"
      }
      let asked = data
      let transport = ScriptedTransport { request in
        request.url.contains("authIndexType") ? Self.passkeyPage(asked) : Self.success
      }
      let report = try await play(scenario, transport, fleet: fleet)
      #expect(report.completed == 1, "\(scenario): \(report.errors.entries)")
      let body = try JSONValue(parsing: try #require(transport.requests.last?.body))
      let outcome = body["callbacks"]?[1]?["input"]?[0]?["value"]?.stringValue ?? ""
      #expect(outcome.hasPrefix(#"{"type":"webauthn."#) && outcome.contains("http://localhost:8080"))
    }
    // A passkey of another relying party is not used.
    let transport = ScriptedTransport { _ in
      Self.passkeyPage(["challenge": .string(Self.challenge), "_relyingPartyId": "evil.example"])
    }
    let report = try await play(.passkey, transport, fleet: fleet)
    #expect(report.errors.byKind.map(\.kind) == [.unanswerable] && transport.requests.count == 1)
  }

  @Test func `secrets are not in what a failure or a description shows`() async throws {
    let application = TransactionApplication(id: "shop", secret: "a secret of a test")
    var settings = ScenarioDriver.Settings(scenario: .bind, journey: "J")
    (settings.password, settings.application) = ("a password", application)
    for text in ["\(settings)", "\(application)", String(reflecting: settings)] {
      #expect(!text.contains("secret of") && !text.contains("a password"))
    }
  }

  @Test func `addresses name realm and journey safely`() throws {
    let target = try #require(LoadTarget(address: "https://id.example.com/am/", realm: "alpha"))
    #expect(target.address == "https://id.example.com/am")
    #expect(target.webAuthnOrigin == "https://id.example.com")
    let local = LoadTarget(address: "http://127.0.0.1:8080/am", realm: "root")
    #expect(local?.webAuthnOrigin == "http://localhost:8080")
    for address in ["ftp://x/am", "https://user@host/am", "nothing", ""] {
      #expect(LoadTarget(address: address, realm: "alpha") == nil, "\(address)")
    }
  }
}
