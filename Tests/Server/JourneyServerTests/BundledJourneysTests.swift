import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JOSE
import JourneyEngine
import JourneyServer
import JourneyStore
import Locking
import StrictJSON
import Testing

@Suite("Bundled journeys, by a client that knows only HTTP") struct BundledJourneysTests {
  private static func bundled(_ configuration: inout ServerConfiguration) {
    configuration.journeysDirectory = nil
  }

  @Test("all load in every realm, without a complaint")
  func load() async throws {
    try await TestServer.run(.router, Self.bundled) { server in
      for realm in ["root", "alpha"] {
        let names = server.server.catalog.summaries(realm: realm).map(\.name)
        #expect(
          names == [
            "ApproveTransaction", "BindDevice", "BindDeviceAttested", "BindDeviceBiometric",
            "BindDeviceBiometricOrCredential", "BindDeviceNoPin", "CombinedRegister", "Login", "OathRegister",
            "OathSignIn", "PushBiometric", "PushCode", "PushNumber", "PushRegister", "PushSignIn", "SignIn",
            "SignTransaction", "StepUp", "Usernameless", "WebAuthnRegister", "WebAuthnSignIn",
          ])
      }
      let log = server.log.withLock { $0 }
      #expect(!log.contains { $0.hasPrefix("error") || $0.hasPrefix("warning") })
      let token = try await server.signInAdministrator()
      #expect(!token.isEmpty)
    }
  }

  /// A device with one P-256 key.
  private struct Device {
    let key = P256.Signing.PrivateKey()
    let kid = "5C0B1E2A-0000-4000-8000-000000000001"

    func proof(of step: Answer, subject: String, at now: Date, includesKey: Bool) async throws -> String {
      let outputs = step["callbacks"]?[0]?["output"]?.arrayValue ?? []
      let challenge = try #require(outputs.first { $0["name"] == "challenge" }?["value"])
      let seconds = Int64(now.timeIntervalSince1970)
      let payload: JSONObject = [
        "sub": .string(subject), "iss": "com.sealring.cli", "challenge": challenge, "platform": "linux",
        "iat": .integer(seconds), "nbf": .integer(seconds), "exp": .integer(seconds + 60),
      ]
      let jwk = try JWK(p256X963: Array(key.publicKey.x963Representation), keyID: kid)
      let header = JWSHeader(
        algorithm: .es256, type: "JWS", keyID: kid, jwk: includesKey ? jwk : nil)
      return try await JWS.compact(
        header: header, payload: payload.serialized, signer: P256Signer(privateKey: key))
    }
  }

  private static func reply(to step: Answer, _ values: [String: String]) -> JSONValue {
    let inputs = values.sorted { $0.key < $1.key }.map { name, value in
      JSONValue.object(["name": .string("IDToken1\(name)"), "value": .string(value)])
    }
    let callback: JSONObject = [
      "type": step["callbacks"]?[0]?["type"] ?? .null, "input": .array(inputs), "_id": 0,
    ]
    return ["authId": step["authId"] ?? .null, "callbacks": [.object(callback)]]
  }

  @Test("without roots the start says that no key can be attested, and a binding fails with that reason")
  func attestationWithoutRoots() async throws {
    try await TestServer.run(.router, Self.bundled) { server in
      let notices = server.log.withLock { $0 }.filter { $0.hasPrefix("notice journey BindDeviceAttested of") }
      #expect(notices.count == 2 && notices.allSatisfy { $0.contains("no attestation roots are configured") })
      let path = "\(TestServer.alpha)/authenticate"
      let binding = try await server.call(
        .post, path + "?authIndexType=service&authIndexValue=BindDeviceAttested",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      let proof = try await Device().proof(
        of: binding, subject: "id=ada,ou=user,o=alpha,ou=services,ou=am-config", at: server.clock.now,
        includesKey: true)
      let refused = try await server.call(
        .post, path,
        body: Self.reply(
          to: binding, ["jws": proof, "deviceName": "Bench", "deviceId": "bench-1", "clientError": ""]))
      #expect(refused.status == 401)
      #expect(server.log.withLock { $0 }.contains { $0.contains("noRootsConfigured") })
      let ada = try await server.signIn("ada")
      let list = try await server.call(
        .get, "\(TestServer.alpha)/users/ada/devices/2fa/binding?_queryFilter=true", token: ada)
      #expect(list["resultCount"] == 0)
    }
  }

  @Test("an operator's journey that asks for attestations is warned of")
  func attestationOfTheOperators() async throws {
    let folder = try TemporaryFolder()
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "journeys/BindDeviceAttested.journey.json")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacingOccurrences(of: "\"BindDeviceAttested\"", with: "\"Ours\"")
    try folder.write(Array(text.utf8), to: "alpha/Ours.journey.json")
    try await TestServer.run(.router, { $0.journeysDirectory = folder.url }) { server in
      #expect(server.log.withLock { $0 }.contains { $0.hasPrefix("warning journey Ours of realm alpha") })
    }
    #expect(try JourneyFileCheck.check(Array(text.utf8), source: "ours").warnings.count == 1)
  }

  @Test("a device is bound, listed, signs in without a name, and is refused once it is deleted")
  func bindAndSignIn() async throws {
    try await TestServer.run(.router, Self.bundled) { server in
      let device = Device()
      let subject = "id=ada,ou=user,o=alpha,ou=services,ou=am-config"
      let path = "\(TestServer.alpha)/authenticate"
      let binding = try await server.call(
        .post, path + "?authIndexType=service&authIndexValue=BindDevice",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      #expect(binding["callbacks"]?[0]?["type"] == "DeviceBindingCallback")
      let proof = try await device.proof(
        of: binding, subject: subject, at: server.clock.now, includesKey: true)
      let bound = try await server.call(
        .post, path,
        body: Self.reply(
          to: binding,
          ["jws": proof, "deviceName": "Bench", "deviceId": "bench-1", "clientError": ""]))
      let token = try #require(bound["tokenId"]?.stringValue)

      let devices = "\(TestServer.alpha)/users/ada/devices/2fa/binding"
      let list = try await server.call(.get, devices + "?_queryFilter=true", token: token)
      #expect(list["result"]?[0]?["_id"] == .string(device.kid))
      #expect(list["result"]?[0]?["deviceName"] == "Bench")

      let signing = try await server.start("SignIn")
      let signature = try await device.proof(
        of: signing, subject: subject, at: server.clock.now, includesKey: false)
      let answer = Self.reply(to: signing, ["jws": signature, "clientError": ""])
      let signedIn = try await server.call(.post, path, body: answer)
      #expect(signedIn["tokenId"]?.stringValue != nil)
      #expect(try await server.call(.post, path, body: answer).json == AuthenticateTests.timedOut)

      let deleted = try await server.call(.delete, devices + "/" + device.kid, token: token)
      #expect(deleted.status == 200)
      let again = try await server.start("SignIn")
      let late = try await device.proof(
        of: again, subject: subject, at: server.clock.now, includesKey: false)
      let refused = try await server.call(
        .post, path, body: Self.reply(to: again, ["jws": late, "clientError": ""]))
      #expect(refused.status == 401)
      #expect(refused.message == "Login failure")
    }
  }
}
