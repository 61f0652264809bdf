import Assembly
import Bytes
import Crypto
import Foundation
import JOSE
import JourneyStore
import Logging
import StrictJSON

/// `sealring demo --web`: a server with users, devices and an hour of plausible past, to explore in a browser.
struct DemoWeb {
  let folder: URL
  let port: Int

  /// The password of all accounts of a new folder. Other users of this machine reach the server, too, so it is a different one each time.
  private let password = Environment.administratorPassword ?? SystemRandom.bytes(8).hexadecimal

  private static let people = [
    "mira", "noah", "lena", "emil", "ida", "jonas", "clara", "felix", "nora", "theo", "frieda", "oskar",
  ]
  private static let realm = "alpha"

  /// Runs until Ctrl-C.
  func run() async throws {
    var configuration = ServerConfiguration.inThisProcess
    configuration.port = port
    configuration.dataDirectory = folder.appending(path: "server")
    // The folder for uploaded journeys.
    let journeys = folder.appending(path: "journeys")
    try FileManager.default.createDirectory(
      at: journeys.appending(path: Self.realm), withIntermediateDirectories: true)
    configuration.journeysDirectory = journeys
    configuration.watchesJourneys = true
    configuration.bundledJourneys = .everywhere
    configuration.administratorPassword = Secret(password)
    let server = try await SealringServer.make(configuration)
    let isNew = try await fill(server)
    let source =
      isNew
      ? Environment.administratorPassword == nil ? "\"\(password)\"" : "in SEALRING_ADMIN_PASSWORD"
      : "of this folder's first start"
    try await server.runUntilSignal { port in
      Output.remark(
        """
        Sign in as amAdmin, or in the realm alpha as mira and others, with the password \(source).
        Ctrl-C ends the server.
        """)
      Output.line("http://localhost:\(port)/am/admin/?realm=/\(Self.realm)")
    }
  }

  /// Adds the accounts, their devices and their past. A second run on the same folder continues with its data.
  ///
  /// - Returns: whether the folder is new.
  private func fill(_ server: SealringServer) async throws -> Bool {
    let store = server.store
    guard try await store.user(named: "mira", realm: Self.realm) == nil else { return false }
    try await server.createUser("mira", password: Secret(password), realm: Self.realm)
    let hash = try await store.user(named: "mira", realm: Self.realm)?.passwordHash
    let now = Date()
    for (index, name) in Self.people.enumerated() where name != "mira" {
      try await store.createUser(
        UserRecord(
          realm: Self.realm, username: name, passwordHash: hash, isActive: name != "oskar",
          mail: ["\(name)@example.org"],
          attributes: ["givenName": .string(name.capitalized), "sn": .string("Example \(index)")],
          createdAt: now.addingTimeInterval(-Double(index + 1) * 86_400)))
    }
    for (index, name) in Self.people.enumerated() where index % 3 != 2 {
      _ = try await store.addBoundDevice(Self.device(of: name, index, now), limit: 0)
    }
    try await DemoPast(now: now, realm: Self.realm, people: Self.people).store(in: StoredActivity(store))
    return true
  }

  private static func device(of name: String, _ index: Int, _ now: Date) throws -> BoundDeviceRecord {
    let id = UUID().uuidString.lowercased()
    let jwk = try JWK(
      p256X963: [UInt8](P256.Signing.PrivateKey().publicKey.x963Representation), keyID: id)
    let attestation: JSONObject? =
      index % 2 == 0 ? ["kind": "tpm", "securityLevel": "hardware", "tpm": [:]] : nil
    return BoundDeviceRecord(
      uuid: id, realm: realm, username: name, deviceID: UUID().uuidString,
      deviceName: index % 2 == 0 ? "\(name.capitalized)'s laptop" : "\(name.capitalized)'s phone",
      key: jwk.json, thumbprint: jwk.thumbprint,
      createdDate: now.addingTimeInterval(-Double(index + 2) * 40_000),
      lastAccessDate: now.addingTimeInterval(-Double(index) * 700), attestation: attestation)
  }
}

/// An hour of invented sign-ins, the same each time.
private struct DemoPast {
  let now: Date
  let realm: String
  let people: [String]

  /// One step of the bundled journey `Login`, by the id that its file has.
  private static func step(_ node: String, _ name: String, _ type: String, _ outcome: String)
    -> SignInAttempt.Step
  {
    SignInAttempt.Step(journey: "Login", node: node, name: name, type: type, outcome: outcome)
  }

  func store(in activity: StoredActivity) async throws {
    var attempts: [SignInAttempt] = []
    var counts: [ActivityCount] = []
    var seed: UInt64 = 7
    func random(_ bound: Int) -> Int {
      // The generator of Numerical Recipes: the demo needs no secure randomness.
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(seed >> 33) % bound
    }
    func count(_ series: ActivityCount.Series, _ label: String, _ amount: Int, at date: Date) {
      for grain in ActivityCount.Grain.allCases where grain == .hour || series != .edges {
        counts.append(
          ActivityCount(
            realm: series == .requests ? "root" : realm, series: series, grain: grain,
            period: grain.period(of: date), label: label, amount: amount))
      }
    }
    for minute in stride(from: 60, to: 0, by: -1) {
      for _ in 0..<(1 + random(4)) {
        let date = now.addingTimeInterval(-Double(minute * 60 - random(60)))
        // Gives the viewer an account to look into.
        let isMira = minute < 12 && minute % 3 == 0
        let name = isMira ? "mira" : people[1 + random(people.count - 1)]
        let fails = isMira || random(9) == 0
        attempts.append(attempt(random, name: name, fails: fails, at: date))
        count(.signIns, fails ? "failure" : "success", 1, at: date)
        if fails { count(.refusals, "DataStoreDecisionNode", 1, at: date) }
        for _ in 0..<2 {
          count(.latency, String(ActivityCount.latencyBounds[2 + random(fails ? 6 : 4)]), 1, at: date)
        }
        count(.requests, "2xx", 4 + random(6), at: date)
        if fails { count(.requests, "4xx", 1, at: date) }
        for step in attempts[attempts.count - 1].steps where step.outcome != SignInAttempt.Step.asked {
          count(
            .edges,
            ActivityCount.edge(journey: step.journey, node: step.node, outcome: step.outcome ?? ""), 1,
            at: date)
        }
      }
    }
    try await activity.note(attempts, counts)
  }

  private func attempt(
    _ random: (Int) -> Int, name: String, fails: Bool, at date: Date
  ) -> SignInAttempt {
    let page = "b7b3ff7b-623d-48df-8cd5-8cc6f137bdc5"
    let run = (0..<8).map { _ in String(UInt8(random(256)) | 16, radix: 16) }.joined()
    return SignInAttempt(
      realm: realm, run: run, journey: "Login", account: name,
      startedAt: date.addingTimeInterval(-Double(4 + random(20))), latest: date,
      state: fails ? .failure : .success,
      steps: [
        Self.step("f5057fee-4c3e-4459-82dd-21250b729601", "Zero Page Login", "ZeroPageLoginNode", "false"),
        Self.step(page, "Name and Password", "PageNode", SignInAttempt.Step.asked),
        Self.step(page, "Name and Password", "PageNode", "outcome"),
        Self.step(
          "d01e13be-235f-461f-8392-3dd14744f3e0", "Check Credentials", "DataStoreDecisionNode",
          fails ? "false" : "true"),
      ]
        + (fails
          ? []
          : [
            Self.step(
              "1e1b2cd6-652e-500f-9c51-418f8ea8349f", "Level of a Password", "ModifyAuthLevelNode", "outcome")
          ]),
      reason: fails ? "the password is wrong" : nil)
  }
}
