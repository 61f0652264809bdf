import Accounts
import AuthenticatorFixtures
import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import ProofFixtures
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

/// The bundled journeys that add a factor, each with an account that has none and with one of each kind.
@Suite("Bundled journeys ask for the strongest factor before they add one") struct StrongestFactorTests {
  /// The journeys, and the callback by which each begins to add.
  static let journeys: [(name: String, adds: String)] = [
    ("BindDevice", "DeviceBindingCallback"), ("BindDeviceAttested", "DeviceBindingCallback"),
    ("BindDeviceBiometric", "DeviceBindingCallback"),
    ("BindDeviceBiometricOrCredential", "DeviceBindingCallback"),
    ("BindDeviceNoPin", "DeviceBindingCallback"), ("PushRegister", "HiddenValueCallback"),
    ("OathRegister", "HiddenValueCallback"), ("CombinedRegister", "HiddenValueCallback"),
    ("WebAuthnRegister", "MetadataCallback"), ("PushSignIn", "HiddenValueCallback"),
    ("PushNumber", "HiddenValueCallback"), ("PushCode", "HiddenValueCallback"),
    ("PushBiometric", "HiddenValueCallback"),
  ]

  static let requirements: [FactorChangePolicy.Requirement] = FactorChangePolicy.Requirement.allCases

  private static func run(
    _ requirement: FactorChangePolicy.Requirement = .any,
    _ body: @Sendable (LocalServer) async throws -> Void
  ) async throws {
    try await LocalServer.run(
      .router,
      {
        LocalServer.bundled(&$0)
        $0.bundledJourneys = .everywhere
        $0.factorChanges = FactorChangePolicy(standard: requirement)
      }, body: body)
  }

  @Test(arguments: journeys, requirements)
  func `the password alone adds the first factor, and no second one`(
    journey: (name: String, adds: String), requirement: FactorChangePolicy.Requirement
  ) async throws {
    try await Self.run(requirement) { server in
      #expect(try await server.startRegistration(journey: journey.name).types.contains(journey.adds))
      let device = try await server.boundKey()
      let asked = try await server.startRegistration(journey: journey.name)
      #expect(asked.types == ["DeviceSigningVerifierCallback"])
      // The client of somebody who has the password alone says what it likes.
      for error in ["Unsupported", "Abort", "ClientNotRegistered", "Timeout", "success"] {
        let asked = try await server.startRegistration(journey: journey.name)
        let end = try await server.answer(asked, key: ["clientError": error])
        #expect(end.status == 401 && end["tokenId"] == nil, "\(error)")
      }
      let strange = try await server.answer(
        asked, key: ["jws": try server.proof(by: ProofDevice(), of: asked)])
      #expect(strange.status == 401)
      #expect(try await server.store.boundDevices.all(of: ada).map(\.uuid) == [device.keyID])
      for count in [
        try await server.store.pushDevices.all(of: ada).count,
        try await server.store.oathDevices.all(of: ada).count,
        try await server.store.webAuthnDevices.all(of: ada).count,
      ] { #expect(count == 0) }
    }
  }

  /// A factor, or what stands in for one.
  enum Kind: String, CaseIterable, Sendable {
    case key, passkey, passkeyCode, push, pushCode, code, recoveryCode

    /// The callback that asks for it.
    var asks: String {
      switch self {
      case .key: "DeviceSigningVerifierCallback"
      case .passkey, .passkeyCode: "MetadataCallback"
      case .push, .pushCode: "PollingWaitCallback"
      case .code, .recoveryCode: "NameCallback"
      }
    }

    /// Journeys that add what the account has already, and so do something else with it.
    func concerns(_ journey: String) -> Bool {
      switch self {
      case .push, .pushCode: journey.hasPrefix("Push") || journey == "CombinedRegister"
      case .code, .recoveryCode: journey == "OathRegister" || journey == "CombinedRegister"
      default: false
      }
    }
  }

  @Test(arguments: journeys, Kind.allCases)
  func `the account's own factor lets another one be added, and a wrong answer does not`(
    journey: (name: String, adds: String), kind: Kind
  ) async throws {
    guard !kind.concerns(journey.name) else { return }
    try await Self.run { server in
      let answer = try await server.factor(kind)
      for isRight in [false, true] {
        server.clock.advance(by: 30)
        let asked = try await server.startRegistration(journey: journey.name)
        #expect(asked.types.contains(kind.asks), "\(asked.json)")
        if kind == .passkey || kind == .passkeyCode {
          #expect(asked.metadata?["_action"] == "webauthn_authentication")
        }
        let end = try await answer(asked, isRight)
        #expect(end.status == (isRight ? 200 : 401), "\(end.json)")
        #expect(end.types.contains(journey.adds) == isRight, "\(end.json)")
        if isRight, journey.name == "WebAuthnRegister" {
          #expect(end.metadata?["_action"] == "webauthn_registration")
        }
      }
    }
  }

  @Test func `a device is added at the level of both, and the first one at that of the password`()
    async throws
  {
    try await Self.run { server in
      let device = try await server.boundKey()
      let second = ProofDevice()
      let asked = try await server.startRegistration(journey: "BindDevice")
      let binding = try await server.answer(asked, key: ["jws": try server.proof(by: device, of: asked)])
      let end = try await server.answer(
        binding, key: ["jws": try server.proof(by: second, of: binding, binds: true), "deviceName": "Second"])
      let token = try #require(end["tokenId"]?.stringValue)
      #expect(try await server.properties(of: token)["AuthLevel"] == "2")
      #expect(try await server.store.boundDevices.all(of: ada).count == 2)
    }
  }
}

private let ada = UniversalID(username: "ada", realm: "alpha")

extension Answer {
  fileprivate var types: [String] {
    (json["callbacks"]?.arrayValue ?? []).compactMap { $0["type"]?.stringValue }
  }
}

extension LocalServer {
  fileprivate func proof(by device: ProofDevice, of step: Answer, binds: Bool = false) throws -> String {
    let outputs = step["callbacks"]?[0]?["output"]?.arrayValue ?? []
    let challenge = try #require(outputs.first { $0["name"] == "challenge" }?["value"]?.stringValue)
    return try device.proof(
      subject: "id=ada,ou=user,o=alpha,ou=services,ou=am-config", challenge: challenge, now: clock.now,
      binds: binds
    ) { $0.claims["iss"] = "com.sealring.cli" }
  }

  fileprivate func answer(_ step: Answer, key values: [String: String]) async throws -> Answer {
    let inputs = values.sorted { $0.key < $1.key }.map { name, value in
      JSONValue.object(["name": .string("IDToken1\(name)"), "value": .string(value)])
    }
    return try await post([
      "authId": step["authId"] ?? .null,
      "callbacks": [["type": step["callbacks"]?[0]?["type"] ?? .null, "input": .array(inputs), "_id": 0]],
    ])
  }

  /// A key that ada's password has bound.
  fileprivate func boundKey() async throws -> ProofDevice {
    let device = ProofDevice()
    let step = try await startRegistration(journey: "BindDevice")
    let bound = try await answer(step, key: ["jws": try proof(by: device, of: step, binds: true)])
    #expect(bound["tokenId"] != nil, "\(bound.json)")
    return device
  }

  /// Gives ada a factor of the kind; answers to a step that asks for it, rightly or not.
  fileprivate func factor(
    _ kind: StrongestFactorTests.Kind
  ) async throws -> @Sendable (_ step: Answer, _ isRight: Bool) async throws -> Answer {
    let wrongCode = "AAAA-AAAA-AAAA-AAAA"
    switch kind {
    case .key:
      let device = try await boundKey()
      return { step, isRight in
        try await answer(
          step, key: ["jws": try proof(by: isRight ? device : ProofDevice(), of: step)])
      }
    case .passkey, .passkeyCode:
      let passkey = SoftAuthenticator()
      let codes = try await register(passkey)
      guard kind == .passkeyCode else {
        return { step, isRight in
          var authenticator = isRight ? passkey : SoftAuthenticator()
          authenticator.signCount = 10
          return try await answer(step, try authenticator.authenticate(challenge: step.challenge))
        }
      }
      return { step, isRight in try await enter(isRight ? codes[0] : wrongCode, into: exitPush(step)) }
    case .push, .pushCode:
      let step = try await signedIn("PushRegister")
      let phone = try PushPhone(uri: try #require(step.hidden("mfaDeviceRegistration")))
      #expect(try await phone.register(at: self).status == 200)
      let shown = try await wait(step)
      let text = shown["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue ?? ""
      #expect(try await wait(shown)["tokenId"] != nil)
      guard kind == .pushCode else {
        return { step, isRight in
          let message = try #require(try await phone.poll(self).last)
          #expect(try await phone.answer(message, at: self, isRight ? [:] : ["deny": true]).status == 200)
          return try await wait(step)
        }
      }
      let code = String(text.prefix(19))
      return { step, isRight in try await enter(isRight ? code : wrongCode, into: exitPush(step)) }
    case .code, .recoveryCode:
      let step = try await afterPassword("OathRegister")
      let phone = try CodePhone(uri: try enrolmentURI(step))
      let shown = try await post(Self.reply(to: try await goOn(step), try phone.code(self), "0"))
      let text = shown["callbacks"]?[0]?["output"]?[0]?["value"]?.stringValue ?? ""
      #expect(try await goOn(shown)["tokenId"] != nil)
      guard kind == .recoveryCode else {
        return { step, isRight in
          try await post(Self.reply(to: step, isRight ? try phone.code(self) : "000000", "0"))
        }
      }
      let code = String(text.prefix(19))
      return { step, isRight in
        let ask = try await post(Self.reply(to: step, "", "1"))
        return try await enter(isRight ? code : wrongCode, into: ask)
      }
    }
  }
}
