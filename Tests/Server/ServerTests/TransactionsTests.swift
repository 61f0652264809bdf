import CommonFixtures
import Concurrency
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles

@Suite("Applications and transactions, by HTTP") struct TransactionsTests {
  private static let applications = "\(LocalServer.alpha)/applications"
  private static let transactions = "\(LocalServer.alpha)/transactions"
  private static let create = "\(transactions)?_action=create"
  private static let rent: JSONValue = ["amount": "1250.00", "currency": "EUR", "payee": "Hausverwaltung"]

  private static func basic(_ id: String, _ secret: String) -> [String: String] {
    ["Authorization": "Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()]
  }

  /// Registers an application; the headers by which it is known.
  private static func register(
    _ name: String, on server: LocalServer, realm: String = LocalServer.alpha
  ) async throws -> [String: String] {
    let answer = try await server.call(
      .post, "\(realm)/applications?_action=create", token: try await server.signInAdministrator(),
      body: ["name": .string(name)])
    #expect(answer.status == 201)
    return basic(
      try #require(answer["_id"]?.stringValue), try #require(answer["secret"]?.stringValue))
  }

  private static func begin(_ id: String, on server: LocalServer, query: String = "") async throws -> Answer {
    try await server.call(
      .post, "\(LocalServer.alpha)/authenticate?authIndexType=transaction&authIndexValue=\(id)\(query)",
      body: [:])
  }

  // MARK: Applications

  @Test func `the secret is shown once, and only its hash is kept`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signInAdministrator()
      let made = try await server.call(
        .post, "\(Self.applications)?_action=create", token: token, body: ["name": " Shop "])
      #expect(made.json.objectValue?.names == ["_id", "_rev", "name", "createdAt", "plainProofs", "secret"])
      #expect(made["name"] == "Shop")
      let (id, secret) = (
        try #require(made["_id"]?.stringValue), try #require(made["secret"]?.stringValue)
      )
      #expect(id.utf8.count == 22 && secret.utf8.count == 43, "128 and 256 bits")
      let shown = try await server.call(.get, "\(Self.applications)/\(id)", token: token)
      #expect(shown.json.objectValue?.names == ["_id", "_rev", "name", "createdAt", "plainProofs"])
      let list = try await server.call(.get, "\(Self.applications)?_queryFilter=true", token: token)
      #expect(list["resultCount"] == 1 && !list.json.text.contains(secret))
      let stored = try #require(try await server.store.application(id: id, realm: "alpha"))
      #expect(!String(decoding: stored.secretHash, as: UTF8.self).contains(secret))
      #expect(!server.log.withLock { $0 }.contains { $0.contains(secret) })
      #expect(
        try await server.call(
          .post, "\(Self.applications)?_action=create", token: token, body: ["name": "shop"]
        ).status == 409)
      #expect(try await server.call(.delete, "\(Self.applications)/\(id)", token: token).status == 200)
      #expect(try await server.call(.delete, "\(Self.applications)/\(id)", token: token).status == 404)
      #expect(
        try await server.call(
          .post, Self.create, body: ["fields": Self.rent], headers: Self.basic(id, secret)
        ).status == 401, "what was deleted is known no more")
    }
  }

  @Test func `an application takes plain proofs only when it is registered so`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signInAdministrator()
      let cases: [(name: String, given: JSONValue?, kept: Bool?)] = [
        ("a", nil, false), ("b", false, false), ("c", true, true), ("d", "true", nil), ("e", 1, nil),
        ("f", .null, nil),
      ]
      for (name, given, kept) in cases {
        var body: JSONObject = ["name": .string(name)]
        body["plainProofs"] = given
        let made = try await server.call(
          .post, "\(Self.applications)?_action=create", token: token, body: .object(body))
        #expect(made.status == (kept == nil ? 400 : 201))
        guard let kept else { continue }
        #expect(made["plainProofs"] == .bool(kept))
        let id = try #require(made["_id"]?.stringValue)
        let shown = try await server.call(.get, "\(Self.applications)/\(id)", token: token)
        #expect(shown["plainProofs"] == .bool(kept))
        #expect(try await server.store.application(id: id, realm: "alpha")?.takesPlainProofs == kept)
      }
    }
  }

  @Test func `only administrators see and change applications`() async throws {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let ada = try await server.signIn("ada")
      let requests: [(HTTPRequest.Method, String, JSONValue?)] = [
        (.post, "?_action=create", ["name": "Mine"]), (.get, "?_queryFilter=true", nil), (.get, "/x", nil),
        (.delete, "/x", nil),
      ]
      for (method, rest, body) in requests {
        let path = Self.applications + rest
        #expect(try await server.call(method, path, body: body).status == 401)
        #expect(try await server.call(method, path, body: body, headers: shop).status == 401)
        #expect(try await server.call(method, path, token: ada, body: body).status == 403)
      }
    }
  }

  @Test(arguments: [["name": ""], ["name": "  "], ["name": "a\u{7}b"], ["name": 1], [:]] as [JSONValue])
  func `names that can be none`(_ body: JSONValue) async throws {
    try await LocalServer.run { server in
      let token = try await server.signInAdministrator()
      #expect(
        try await server.call(.post, "\(Self.applications)?_action=create", token: token, body: body).status
          == 400)
    }
  }

  // MARK: Authentication

  @Test func `a wrong secret, an unknown id and no credentials get the same 401`() async throws {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let id = try #require(
        Data(base64Encoded: String(shop["Authorization"]?.dropFirst(6) ?? "")).map {
          String(decoding: $0, as: UTF8.self).prefix { $0 != ":" }
        })
      let wrong: [[String: String]] = [
        [:], Self.basic(String(id), "wrong"), Self.basic(String(id), ""), Self.basic("nobody", "wrong"),
        Self.basic("", ""), ["Authorization": "Basic"], ["Authorization": "Basic !!!"],
        ["Authorization": "Basic " + Data("nocolon".utf8).base64EncodedString()],
        ["Authorization": "Basic " + Data([0xFF, 0x3A, 0xFE]).base64EncodedString()],
        ["Authorization": "Bearer \(id)"],
        ["Authorization": "Basic " + String(repeating: "A", count: 5000)],
      ]
      for headers in wrong {
        for (method, path) in [(HTTPRequest.Method.post, Self.create), (.get, "\(Self.transactions)/x")] {
          let answer = try await server.call(
            method, path, body: method == .post ? ["fields": Self.rent] : nil, headers: headers)
          #expect(answer.status == 401 && answer.message == "Access Denied")
        }
      }
      let token = try await server.signInAdministrator()
      #expect(
        try await server.call(.post, Self.create, token: token, body: ["fields": Self.rent]).status == 401,
        "an administrator is not an application")
      #expect(
        try await server.call(
          .post, "\(LocalServer.root)/transactions?_action=create", body: ["fields": Self.rent], headers: shop
        ).status == 401, "an application of another realm")
      let lower = ["Authorization": "basic" + (shop["Authorization"]?.dropFirst(5) ?? "")]
      #expect(
        try await server.call(.post, Self.create, body: ["fields": Self.rent], headers: lower).status == 201)
    }
  }

  // MARK: Transactions

  @Test func `a new transaction is answered as it will be shown`() async throws {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let made = try await server.call(
        .post, Self.create, body: ["fields": ["text": "Kru\u{308}ger", "payee": "Bank"], "username": "ada"],
        headers: shop)
      #expect(made.status == 201)
      #expect(
        made.json.objectValue?.names == [
          "_id", "_rev", "state", "fields", "username", "journey", "createdAt", "expiresAt",
        ])
      #expect(made["fields"]?.text == #"{"payee":"Bank","text":"Krüger"}"#, "in order, in Form C")
      #expect(made["journey"] == "ApproveTransaction")
      let id = try #require(made["_id"]?.stringValue)
      #expect(id.utf8.count == 32, "192 bits")
      let read = try await server.call(.get, "\(Self.transactions)/\(id)", headers: shop)
      #expect(read.json == made.json)
      #expect(read.headers[.cacheControl] == "no-store")
    }
  }

  @Test func `bounds of what is posted`() async throws {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let good: [JSONValue] = [
        ["fields": ["text": "Open the gate"], "expiresIn": 1], ["fields": Self.rent, "expiresIn": 3600],
        ["fields": Self.rent, "journey": "SignIn"], ["fields": Self.rent, "username": "nobody knows her"],
      ]
      for body in good {
        #expect(try await server.call(.post, Self.create, body: body, headers: shop).status == 201)
      }
      let bad: [JSONValue] = [
        [:], ["fields": [:]], ["fields": "text"], ["fields": ["text": 1]], ["fields": ["memo": "x"]],
        ["fields": ["amount": "1.00"]], ["fields": ["amount": "1,00", "currency": "EUR"]],
        ["fields": ["text": "a\u{202E}b"]], ["fields": ["text": "a\nb"]],
        ["fields": ["text": .string(String(repeating: "x", count: 501))]],
        ["fields": Self.rent, "expiresIn": 0], ["fields": Self.rent, "expiresIn": 3601],
        ["fields": Self.rent, "expiresIn": -1], ["fields": Self.rent, "expiresIn": "60"],
        ["fields": Self.rent, "expiresIn": 1.5], ["fields": Self.rent, "expiresIn": .null],
        ["fields": Self.rent, "journey": "NoSuch"], ["fields": Self.rent, "journey": 1],
        ["fields": Self.rent, "username": "a,b"], ["fields": Self.rent, "username": ""],
        ["fields": Self.rent, "usrname": "ada"],
      ]
      for body in bad {
        let answer = try await server.call(.post, Self.create, body: body, headers: shop)
        #expect(answer.status == 400, "\(body.text.prefix(80))")
      }
      #expect(try await server.call(.post, Self.transactions, body: [:], headers: shop).status == 400)
      #expect(try await server.call(.get, Self.transactions, headers: shop).status == 405)
      #expect(try await server.call(.put, "\(Self.transactions)/x", body: [:], headers: shop).status == 405)
    }
  }

  @Test func `an unknown id, garbage, and another application's transaction are the same 404`() async throws {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let bank = try await Self.register("Bank", on: server)
      let made = try await server.call(.post, Self.create, body: ["fields": Self.rent], headers: shop)
      let id = try #require(made["_id"]?.stringValue)
      for path in ["\(id)x", "nothing", "%00", "..%2F..", String(repeating: "a", count: 3000)] {
        let answer = try await server.call(.get, "\(Self.transactions)/\(path)", headers: shop)
        #expect(answer.status == 404 && answer.message == "There is no such transaction.")
      }
      let other = try await server.call(.get, "\(Self.transactions)/\(id)", headers: bank)
      #expect(other.status == 404 && other.message == "There is no such transaction.")
    }
  }

  // MARK: Starting

  @Test
  func
    `who has the id learns that its time is over, or that it was decided; nobody learns of one that is unknown`()
    async throws
  {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      func make() async throws -> String {
        let made = try await server.call(.post, Self.create, body: ["fields": Self.rent], headers: shop)
        return try #require(made["_id"]?.stringValue)
      }
      func errorCode(_ answer: Answer) -> JSONValue? { answer["detail"]?["errorCode"] }
      let (expired, decided) = (try await make(), try await make())
      let isRecorded = try await server.store.decideTransaction(
        id: decided, realm: "alpha", .refused(reason: "CANCELLED"), now: server.clock.now)
      #expect(isRecorded)
      #expect(errorCode(try await Self.begin(decided, on: server)) == "transactionDecided")
      let step = try await Self.begin(expired, on: server)
      #expect(step.status == 200)
      server.clock.advance(by: 3600)
      let late = try await Self.begin(expired, on: server)
      #expect(late.status == 401 && late.message == "Login failure")
      #expect(errorCode(late) == "transactionExpired")
      #expect(errorCode(try await Self.begin("nothing", on: server)) == nil)
    }
  }

  @Test func `a transaction that expires in its journey is in the log once, and is not a warning`()
    async throws
  {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let made = try await server.call(
        .post, Self.create, body: ["fields": Self.rent, "expiresIn": 60], headers: shop)
      let step = try await Self.begin(try #require(made["_id"]?.stringValue), on: server)
      #expect(step.status == 200)
      server.clock.advance(by: 61)
      let late = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate",
        body: LocalServer.reply(to: step, "ada", "correct horse 1"))
      #expect(late.status == 401)
      let lines = server.log.withLock { $0 }.filter { $0.contains("has expired") }
      #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("notice") }, "\(lines)")
    }
  }

  @Test func `a start by id: nobody learns why one does not begin, save the log`() async throws {
    // In the root realm, too, there are transactions here.
    try await LocalServer.run(.router, { $0.bundledJourneys = .everywhere }) { server in
      for id in ["nothing", "%00", "x%22%0Ay", String(repeating: "a", count: 3000)] {
        let answer = try await Self.begin(id, on: server)
        #expect(answer.status == 401 && answer.message == "Login failure")
      }
      #expect(server.log.withLock { $0 }.contains { $0.contains("is unknown") })
      #expect(!server.log.withLock { $0 }.contains { $0.contains("\n") }, "no line of somebody else's")
      #expect(try await Self.begin("", on: server).status == 400)
      let shop = try await Self.register("Shop", on: server, realm: LocalServer.root)
      let made = try await server.call(
        .post, "\(LocalServer.root)/transactions?_action=create", body: ["fields": Self.rent], headers: shop)
      #expect(
        try await Self.begin(try #require(made["_id"]?.stringValue), on: server).status == 401,
        "of another realm")
    }
  }

  @Test func `the step has PingAM's outputs, the fields as its description, and the offer`() async throws {
    try await LocalServer.run(.router, { $0.journeysDirectory = nil }) { server in
      let shop = try await Self.register("Shop", on: server)
      let made = try await server.call(.post, Self.create, body: ["fields": Self.rent], headers: shop)
      let id = try #require(made["_id"]?.stringValue)
      let step = try await Self.begin(id, on: server)
      #expect(step.status == 200)
      let outputs = step["callbacks"]?[0]?["output"]?.arrayValue ?? []
      #expect(
        outputs.map { $0["name"]?.stringValue } == [
          "userId", "challenge", "title", "subtitle", "description", "timeout", "transaction",
        ])
      #expect(outputs[4]["value"] == "Amount: 1250.00 EUR\nPayee: Hausverwaltung")
      let offer = try #require(outputs[6]["value"]?.objectValue)
      #expect(offer.names == ["version", "id", "fields", "nonce", "context"])
      // What the server says beside it, which nothing signs.
      #expect(
        offer["context"]?["application"] == "Shop" && offer["context"]?["expiresAt"]?.integerValue != nil)
      #expect(offer["id"]?.stringValue == id && offer["fields"] == Self.rent)
      let again = try await Self.begin(id, on: server)
      #expect(
        again["callbacks"]?[0]?["output"]?[1]?["value"] != outputs[1]["value"],
        "a challenge is used for one display")
    }
  }

  @Test func `a journey that asks for no signature approves nothing`() async throws {
    try await LocalServer.run { server in
      let shop = try await Self.register("Shop", on: server)
      let made = try await server.call(
        .post, Self.create, body: ["fields": Self.rent, "username": "ada", "journey": "Login"],
        headers: shop)
      let id = try #require(made["_id"]?.stringValue)
      let step = try await Self.begin(id, on: server)
      let end = try await server.call(
        .post, "\(LocalServer.alpha)/authenticate", body: LocalServer.reply(to: step, "ada", "ada-password"))
      #expect(end.status == 401 && end["tokenId"] == nil)
      #expect(
        server.log.withLock { $0 }.contains { $0.contains("put a Device Signing Verifier node into it") })
      let read = try await server.call(.get, "\(Self.transactions)/\(id)", headers: shop)
      #expect(read["state"] == "pending")
    }
  }
}
