import Assembly
import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyEngine
import JourneyStore
import ProofFixtures
import StrictJSON
import Testing

@Suite("Bundled journeys, by a client that knows only HTTP") struct BundledJourneysTests {
  private static func bundled(_ configuration: inout ServerConfiguration) {
    configuration.journeysDirectory = nil
    configuration.bundledJourneys = .everywhere
  }

  /// The folder whose files are built into the server. What is forgotten in the list of names is found here.
  private static let folder = URL(filePath: #filePath).appending(path: "../../../../journeys")
    .standardizedFileURL

  @Test func `all load in every realm, each file of the folder among them, without a complaint`() async throws
  {
    let suffix = ".journey.json"
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
      .filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }
    #expect(files.count > 20)
    try await LocalServer.run(.router, Self.bundled) { server in
      for realm in ["root", "alpha"] {
        let names = server.server.catalog.summaries(realm: realm).map(\.name)
        #expect(names == files.sorted())
      }
      let log = server.log.withLock { $0 }
      #expect(!log.contains { $0.hasPrefix("error") || $0.hasPrefix("warning") })
      let token = try await server.signInAdministrator()
      #expect(!token.isEmpty)
    }
  }

  /// What the device answers to the step: a binding includes its key, a signature does not.
  private static func proof(
    by device: ProofDevice, of step: Answer, subject: String, at now: Date, binds: Bool
  ) throws -> String {
    let outputs = step["callbacks"]?[0]?["output"]?.arrayValue ?? []
    let challenge = try #require(outputs.first { $0["name"] == "challenge" }?["value"]?.stringValue)
    return try device.proof(subject: subject, challenge: challenge, now: now, binds: binds) {
      $0.claims["iss"] = "com.sealring.cli"
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

  @Test func `without roots a binding that must be attested fails with that reason`() async throws {
    try await LocalServer.run(.router, Self.bundled) { server in
      let path = "\(LocalServer.alpha)/authenticate"
      let binding = try await server.call(
        .post, path + "?authIndexType=service&authIndexValue=BindDeviceAttested",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      let proof = try Self.proof(
        by: ProofDevice(), of: binding, subject: "id=ada,ou=user,o=alpha,ou=services,ou=am-config",
        at: server.clock.now, binds: true)
      let refused = try await server.call(
        .post, path,
        body: Self.reply(
          to: binding, ["jws": proof, "deviceName": "Bench", "deviceId": "bench-1", "clientError": ""]))
      #expect(refused.status == 401)
      #expect(server.log.withLock { $0 }.contains { $0.contains("noRootsConfigured") })
      let ada = try await server.signIn("ada")
      let list = try await server.call(
        .get, "\(LocalServer.alpha)/users/ada/devices/2fa/binding?_queryFilter=true", token: ada)
      #expect(list["resultCount"] == 0)
    }
  }

  @Test func `an operator's journey that asks for attestations is warned of`() async throws {
    let folder = try TemporaryFolder.make()
    let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "journeys/BindDeviceAttested.journey.json")
    let text = try String(contentsOf: file, encoding: .utf8)
      .replacingOccurrences(of: "\"BindDeviceAttested\"", with: "\"Ours\"")
    try folder.write(Array(text.utf8), to: "alpha/Ours.journey.json")
    try await LocalServer.run(.router, { $0.journeysDirectory = folder.url }) { server in
      #expect(server.log.withLock { $0 }.contains { $0.hasPrefix("warning journey Ours of realm alpha") })
    }
    let ours = JourneyCatalog.File(Array(text.utf8), source: "ours")
    let (catalog, files) = try JourneyFileCheck.examine([ours], realm: "alpha")
    #expect(files[0].faults.isEmpty && catalog.warnings.filter { $0.journey == "Ours" }.count == 1)
  }

  @Test func `a device is bound, listed, signs in without a name, and is refused once it is deleted`()
    async throws
  {
    try await LocalServer.run(.router, Self.bundled) { server in
      let device = ProofDevice()
      let subject = "id=ada,ou=user,o=alpha,ou=services,ou=am-config"
      let path = "\(LocalServer.alpha)/authenticate"
      let binding = try await server.call(
        .post, path + "?authIndexType=service&authIndexValue=BindDevice",
        headers: ["X-OpenAM-Username": "ada", "X-OpenAM-Password": "ada-password"])
      #expect(binding["callbacks"]?[0]?["type"] == "DeviceBindingCallback")
      let proof = try Self.proof(
        by: device, of: binding, subject: subject, at: server.clock.now, binds: true)
      let bound = try await server.call(
        .post, path,
        body: Self.reply(
          to: binding,
          ["jws": proof, "deviceName": "Bench", "deviceId": "bench-1", "clientError": ""]))
      let token = try #require(bound["tokenId"]?.stringValue)

      let devices = "\(LocalServer.alpha)/users/ada/devices/2fa/binding"
      let list = try await server.call(.get, devices + "?_queryFilter=true", token: token)
      #expect(list["result"]?[0]?["_id"] == .string(device.keyID))
      #expect(list["result"]?[0]?["deviceName"] == "Bench")

      let signing = try await server.start("SignIn")
      let signature = try Self.proof(
        by: device, of: signing, subject: subject, at: server.clock.now, binds: false)
      let answer = Self.reply(to: signing, ["jws": signature, "clientError": ""])
      let signedIn = try await server.call(.post, path, body: answer)
      #expect(signedIn["tokenId"]?.stringValue != nil)
      #expect(try await server.call(.post, path, body: answer).json == AuthenticateTests.ended)

      let deleted = try await server.call(.delete, devices + "/" + device.keyID, token: token)
      #expect(deleted.status == 200)
      let again = try await server.start("SignIn")
      let late = try Self.proof(
        by: device, of: again, subject: subject, at: server.clock.now, binds: false)
      let refused = try await server.call(
        .post, path, body: Self.reply(to: again, ["jws": late, "clientError": ""]))
      #expect(refused.status == 401)
      #expect(refused.message == "Login failure")
    }
  }

  // MARK: Which of them are offered

  /// Options, whether the address is public, a realm, some that it has, some that it has not.
  static let choices: [([String], isPublic: Bool, realm: String, has: [String], hasNot: [String])] = [
    ([], false, "alpha", ["Login", "BindDevice", "BindDeviceNoPin", "SignIn", "WebAuthnSignIn"], []),
    (
      [], false, "root", ["Login"], ["BindDevice", "BindDeviceNoPin", "SignIn", "Usernameless", "PushSignIn"]
    ),
    ([], true, "alpha", ["Login", "BindDevice", "SignIn", "WebAuthnSignIn"], ["BindDeviceNoPin"]),
    ([], true, "root", ["Login"], ["BindDevice"]),
    (["all"], true, "alpha", ["SignIn"], ["BindDeviceNoPin"]),
    (["all,BindDeviceNoPin"], true, "alpha", ["SignIn", "BindDeviceNoPin"], []),
    (["all,BindDeviceNoPin"], true, "root", ["Login"], ["SignIn", "BindDeviceNoPin"]),
    (["login"], false, "alpha", ["Login"], ["BindDevice", "SignIn"]),
    (["none"], false, "alpha", [], ["Login", "BindDevice"]),
    (["none"], false, "root", ["Login"], ["BindDevice"]),
    (["root=none"], false, "root", [], ["Login"]),
    (["root=none"], false, "alpha", ["Login", "SignIn"], []),
    (["alpha=login,SignIn,root=all"], false, "alpha", ["Login", "SignIn"], ["BindDevice"]),
    (["alpha=login,SignIn,root=all"], true, "root", ["Login", "SignIn"], ["BindDeviceNoPin"]),
    (["login", "alpha=BindDevice", "alpha=SignIn"], false, "alpha", ["BindDevice", "SignIn"], ["Login"]),
    // A realm that was deleted may be created again in another case.
    (["ALPHA=BindDevice"], false, "alpha", ["BindDevice"], ["Login"]),
    (["alpha=BindDevice", "Alpha=SignIn"], false, "alpha", ["BindDevice", "SignIn"], ["Login"]),
    // What runs inside comes along.
    (["alpha=BindDevice"], false, "alpha", ["BindDevice", "ProveStrongestFactor"], ["StepUp"]),
    (["login"], false, "alpha", ["Login"], ["ProveStrongestFactor"]),
  ]

  @Test(arguments: choices)
  func `a server offers what was chosen; the root realm has Login, and a public address no key without a PIN`(
    options: [String], isPublic: Bool, realm: String, has: [String], hasNot: [String]
  ) async throws {
    var configuration = LocalServer.configuration()
    configuration.bundledJourneys = try BundledJourneys(options: options)
    if isPublic { configuration.publicURL = "https://id.example.com/am" }
    let server = try await SealringServer.make(configuration)
    let names = Set(server.catalog.summaries(realm: realm).map(\.name))
    #expect(names.isSuperset(of: has), "\(options)")
    #expect(names.isDisjoint(with: hasNot), "\(options)")
    try await server.close()
  }

  @Test(arguments: ["Nope", "alpha=everything", "", "beta=all"])
  func `what is not a journey, or a realm that is not there, is named`(option: String) async throws {
    let error = await #expect(throws: ServerSetupError.self) {
      var configuration = LocalServer.configuration()
      configuration.bundledJourneys = try BundledJourneys(options: [option])
      try await SealringServer.make(configuration).close()
    }
    let name = option.split(separator: "=")
    #expect(
      error?.description.contains(option.hasPrefix("beta") ? "beta" : String(name.last ?? "\"\"")) == true)
  }

  @Test func `every bundled journey after which possession alone signs in is known as one`() throws {
    var found: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: Self.folder, includingPropertiesForKeys: nil)
    where file.lastPathComponent.hasSuffix(".journey.json") {
      let json = try JSONValue(parsing: Array(Data(contentsOf: file)))
      // It runs after a password, and nobody can start it.
      if json["tree"]?["innerTreeOnly"] == true { continue }
      let nodes = json["nodes"]?.objectValue?.map(\.value) ?? []
      func has(_ type: String, _ test: (JSONValue) -> Bool = { _ in true }) -> Bool {
        nodes.contains { $0["_type"]?["_id"]?.stringValue == type && test($0) }
      }
      let makesOpenKeys = has("DeviceBindingNode") { $0["authenticationType"] == "NONE" }
      let takesTouch =
        has("WebAuthnAuthenticationNode") { $0["userVerificationRequirement"] != "REQUIRED" }
        && !has("DataStoreDecisionNode")
      let takesTap = has("PushAuthenticationSenderNode") && !has("DataStoreDecisionNode")
      if makesOpenKeys || takesTouch || takesTap {
        found.insert(try #require(json["tree"]?["_id"]?.stringValue))
      }
    }
    #expect(found == BundledJourneys.possessionOnly)
  }
}
