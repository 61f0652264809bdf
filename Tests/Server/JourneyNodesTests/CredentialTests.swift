import Accounts
import BindingFormats
import Concurrency
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Names and passwords")
struct CredentialTests {
  // MARK: Names

  @Test(arguments: [
    "amAdm\u{200B}in", "\u{FEFF}ada", "a\u{200D}da", "\u{202E}nimda", "ada\u{2066}x\u{2069}", "a\u{AD}da",
    "ada\u{FE0F}",
    "ada\u{3164}", "a\u{34F}da", "ada\u{E0041}", "a\u{A0}da", "a\u{3000}da", "a\u{2028}da", "a\u{E000}da",
    "a\u{180E}da",
  ]) func `no new account looks like another by characters that nobody sees`(_ name: String) {
    #expect(LoginName.fault(in: name) != nil)
    // An account that had the name before can still be found, and ended.
    #expect(name.contains("\u{2028}") || LoginName.faultInAddress(name) == nil)
  }

  @Test(arguments: ["ada", "Åsa Öberg", "o'hara-7.x_y@example.com", "田中", "Ἀθηνᾶ", "नमस्ते", "e\u{301}va", "🦆"])
  func `names of all languages are names`(_ name: String) {
    #expect(LoginName.fault(in: name) == nil)
  }

  // MARK: Collectors

  @Test(
    arguments: [
      ("UsernameCollectorNode", "NameCallback", "User Name"),
      ("PasswordCollectorNode", "PasswordCallback", "Password"),
      ("ValidatedUsernameNode", "NameCallback", "Username"),
      ("ValidatedPasswordNode", "PasswordCallback", "Password"),
    ])
  func `a collector asks with its callback and keeps the answer`(
    type: String, callback: String, prompt: String
  ) async throws {
    var visit = try await World().visit(type)
    let asked = try await visit.ask()
    #expect(
      asked == [
        OutgoingCallback(type: callback, outputs: [.init("prompt", .string(prompt))], inputs: [.init("", "")])
      ])
    #expect(try await visit.answer(["": "mira"]) == .outcome("outcome"))
    #expect(visit.state[callback == "NameCallback" ? "username" : "password"] == "mira")
    #expect(callback == "NameCallback" || visit.state.shared["password"] == nil)
  }

  @Test(
    arguments: [
      "UsernameCollectorNode", "PasswordCollectorNode", "ValidatedUsernameNode", "ValidatedPasswordNode",
    ],
    [[:], ["": ""], ["": 5], ["": .string(String(repeating: "x", count: 1025))]] as [[String: JSONValue]])
  func `what is empty, too long or no text is asked for again`(type: String, inputs: [String: JSONValue])
    async throws
  {
    var visit = try await World().visit(type)
    let asked = try await visit.evaluate()
    #expect(try await visit.answer(inputs) == asked)
  }

  @Test func `platform nodes write the attributes that profiles are made of`() async throws {
    let world = try await World()
    var name = try world.visit("ValidatedUsernameNode", ["usernameAttribute": "uid"])
    _ = try await name.answer(["": "mira"])
    #expect(name.state.shared["objectAttributes"] == ["uid": "mira"])
    var password = try world.visit("ValidatedPasswordNode", state: name.state)
    _ = try await password.answer(["": "secret"])
    #expect(password.state.transient["objectAttributes"] == ["password": "secret"])
    #expect(password.state.shared["objectAttributes"] == ["uid": "mira"])
  }

  /// New names and passwords, and the requirements that they fail.
  static let validated: [(type: String, text: String, failed: [String])] = [
    ("ValidatedUsernameNode", "newcomer", []), ("ValidatedUsernameNode", "", ["REQUIRED"]),
    ("ValidatedUsernameNode", "mira", ["VALID_USERNAME"]),
    ("ValidatedUsernameNode", "MIRA", ["VALID_USERNAME"]),
    ("ValidatedUsernameNode", "a,ou=user", ["CANNOT_CONTAIN_CHARACTERS"]),
    ("ValidatedUsernameNode", "a\u{7}b", ["CANNOT_CONTAIN_CHARACTERS"]),
    ("ValidatedUsernameNode", String(repeating: "名", count: 255), []),
    ("ValidatedUsernameNode", String(repeating: "x", count: 256), ["MAX_LENGTH"]),
    ("ValidatedUsernameNode", " newcomer", ["VALID_USERNAME"]),
    ("ValidatedPasswordNode", "Correct horse 1", []),
    ("ValidatedPasswordNode", "correct horse", []), ("ValidatedPasswordNode", "パスワードは長い", []),
    ("ValidatedPasswordNode", "", ["LENGTH_BASED"]), ("ValidatedPasswordNode", "short", ["LENGTH_BASED"]),
    ("ValidatedPasswordNode", "Password1", ["CANNOT_BE_COMMON"]),
    ("ValidatedPasswordNode", String(repeating: "quiet meadow ", count: 20), ["MAX_LENGTH"]),
    ("ValidatedPasswordNode", "Newcomer1", ["CANNOT_CONTAIN_OTHERS"]),
  ]

  @Test(arguments: validated)
  func `new names and passwords follow policies; failed ones come back as JSON texts`(
    type: String, text: String, failed: [String]
  ) async throws {
    let world = try await World()
    var visit = try world.visit(type, ["validateInput": true], state: JourneyState(username: "newcomer"))
    let asked = try #require(try await visit.ask().first)
    #expect(
      asked.type
        == (type == "ValidatedUsernameNode"
          ? "ValidatedCreateUsernameCallback" : "ValidatedCreatePasswordCallback"))
    #expect(asked.inputs == [.init("", ""), .init("validateOnly", false)])
    #expect(asked.output("failedPolicies") == [])
    let announced = asked.output("policies")?["policyRequirements"]?.arrayValue ?? []
    #expect(failed.allSatisfy { announced.contains(.string($0)) })
    let result = try await visit.answer(["": .string(text), "validateOnly": false])
    guard !failed.isEmpty else {
      #expect(result == .outcome("outcome"))
      return
    }
    let again = try #require(try visit.callbacks(of: result).first)
    let codes = try (again.output("failedPolicies")?.arrayValue ?? []).map {
      try JSONValue(parsing: $0.stringValue ?? "")["policyRequirement"]?.stringValue
    }
    #expect(codes == failed)
  }

  /// As PingAM has them: a policy without parameters has no member for them.
  @Test(
    arguments: [
      ("ValidatedUsernameNode", "mira", ["policyRequirement": "VALID_USERNAME"]),
      (
        "ValidatedPasswordNode", "short",
        [
          "policyRequirement": "LENGTH_BASED",
          "params": ["max-password-length": 0, "min-password-length": 8],
        ]
      ),
    ] as [(String, String, JSONValue)])
  func `a failed policy has PingAM's parameters`(type: String, text: String, failure: JSONValue) async throws
  {
    var visit = try await World().visit(type, ["validateInput": true])
    let announced = try await visit.ask().first?.output("policies")?["policies"]?.arrayValue ?? []
    let result = try await visit.answer(["": .string(text)])
    let again = try #require(try visit.callbacks(of: result).first)
    #expect(try JSONValue(parsing: again.output("failedPolicies")?[0]?.stringValue ?? "") == failure)
    let requirement = failure["policyRequirement"] ?? .null
    let policy = try #require(announced.first { $0["policyRequirements"] == [requirement] })
    #expect(policy["params"] == failure["params"])
  }

  @Test func `validateOnly stays on the node even when all policies hold`() async throws {
    var visit = try await World().visit("ValidatedUsernameNode", ["validateInput": true])
    let result = try await visit.answer(["": "newcomer", "validateOnly": true])
    let again = try #require(try visit.callbacks(of: result).first)
    #expect(again.output("failedPolicies") == [])
    #expect(again.output("validateOnly") == true)
    #expect(visit.state.username == nil)
  }

  // MARK: Decisions

  /// Name, password, and what the two decisions make of them.
  static let decisions: [(name: String, password: String, dataStore: String, identityStore: String)] = [
    ("mira", World.password, "true", "TRUE"), ("MIRA", World.password, "true", "TRUE"),
    ("mira", "wrong", "false", "FALSE"), ("nobody", World.password, "false", "FALSE"),
    ("otto", World.password, "false", "LOCKED"), ("otto", "wrong", "false", "FALSE"),
    (String(repeating: "x", count: 300), World.password, "false", "FALSE"),
  ]

  @Test(arguments: decisions)
  func `data Store Decision`(name: String, password: String, dataStore: String, identityStore: String)
    async throws
  {
    let world = try await World()
    var visit = try world.visit(
      "DataStoreDecisionNode", state: JourneyState(username: name, password: password))
    #expect(try await visit.evaluate() == .outcome(dataStore))
    #expect(visit.reasons.isEmpty == (dataStore == "true"))
    if dataStore == "true" { #expect(visit.state.username == "mira") }
  }

  @Test(arguments: decisions)
  func `identity Store Decision`(name: String, password: String, dataStore: String, identityStore: String)
    async throws
  {
    let world = try await World()
    var visit = try world.visit(
      "IdentityStoreDecisionNode", state: JourneyState(username: name, password: password))
    #expect(try await visit.evaluate() == .outcome(identityStore))
  }

  @Test(arguments: [(nil, "x"), ("mira", nil)] as [(String?, String?)])
  func `without name or password a decision cannot be made`(name: String?, password: String?) async throws {
    let world = try await World()
    for type in ["DataStoreDecisionNode", "IdentityStoreDecisionNode"] {
      var visit = try world.visit(type, state: JourneyState(username: name, password: password))
      await #expect(throws: NodeError.self) { try await visit.evaluate() }
    }
  }

  @Test(arguments: ["mira", "nobody", "otto"])
  func `an unknown name costs one verification, as a known one does`(name: String) async throws {
    let world = try await World()
    var visit = try world.visit(
      "DataStoreDecisionNode", state: JourneyState(username: name, password: "wrong"))
    _ = try await visit.evaluate()
    #expect(world.passwords.verifications.withLock { $0 } == 1)
    #expect(try await world.lockout(of: name).consecutiveFailures == 1)
  }

  @Test(arguments: ["mira", "nobody"])
  func `five failures lock known and unknown names alike`(name: String) async throws {
    let world = try await World()
    func decide(_ type: String, _ password: String) async throws -> NodeResult {
      var visit = try world.visit(type, state: JourneyState(username: name, password: password))
      return try await visit.evaluate()
    }
    for _ in 0..<5 { #expect(try await decide("IdentityStoreDecisionNode", "wrong") == .outcome("FALSE")) }
    #expect(try await decide("IdentityStoreDecisionNode", World.password) == .outcome("LOCKED"))
    #expect(try await decide("DataStoreDecisionNode", World.password) == .outcome("false"))
    world.advance(60)
    let isKnown = name == "mira"
    #expect(try await decide("DataStoreDecisionNode", World.password) == .outcome(isKnown ? "true" : "false"))
    #expect(try await world.lockout(of: name).lockCount == (isKnown ? 0 : 1))
  }

  @Test func `of a hundred guesses whose hashes are ready at once, five are judged`() async throws {
    let world = try await World()
    var services = world.services
    services.passwords = PasswordsAtOnce(count: 100)
    let check = PasswordCheck(services: services)
    let verdicts = try await withThrowingTaskGroup(of: PasswordCheck.Verdict.self) { group in
      for number in 0..<100 {
        group.addTask {
          try await check.verdict(username: "mira", password: "guess \(number)", realm: "alpha", cookies: nil)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(verdicts.count { if case .wrong = $0 { true } else { false } } == 5)
    #expect(verdicts.count { if case .locked = $0 { true } else { false } } == 95)
  }

  @Test func `the right guess among a hundred at once is as good as lost`() async throws {
    let world = try await World()
    var services = world.services
    let passwords = PasswordsAtOnce(count: 100, right: World.password)
    services.passwords = passwords
    let check = PasswordCheck(services: services)
    let verdicts = try await withThrowingTaskGroup(of: PasswordCheck.Verdict.self) { group in
      for number in 0..<100 {
        let guess = number == 50 ? World.password : "guess \(number)"
        group.addTask {
          try await check.verdict(username: "mira", password: guess, realm: "alpha", cookies: nil)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let wrong = verdicts.count { if case .wrong = $0 { true } else { false } }
    let isFound = verdicts.contains { if case .right = $0 { true } else { false } }
    // At most four before the right one, which forgets them, and five after it.
    #expect(isFound ? wrong <= 9 : wrong == 5)
  }

  @Test func `a hash of another cost is renewed at sign-in, once, and never put over a new password`()
    async throws
  {
    let world = try await World()
    var services = world.services
    services.passwords = DearerPasswords()
    let check = PasswordCheck(services: services)
    let before = try #require(await world.store.user(named: "mira", realm: "alpha"))
    guard
      case .right(let user) = try await check.verdict(
        username: "mira", password: World.password, realm: "alpha", cookies: nil)
    else { throw Unexpected("not right") }
    #expect(user.passwordHash == "dear:\(World.password)")
    #expect(try await world.store.user(named: "mira", realm: "alpha") == user)
    #expect(user.passwordVersion == before.passwordVersion)
    #expect(try await world.store.renewPasswordHash(of: before, to: "late") == false)
    #expect(try await world.store.user(named: "mira", realm: "alpha") == user)
    guard
      case .wrong = try await check.verdict(username: "rosa", password: "guess", realm: "alpha", cookies: nil)
    else {
      throw Unexpected("not wrong")
    }
    #expect(
      try await world.store.user(named: "rosa", realm: "alpha")?.passwordHash == "plain:\(World.password)")
  }

  @Test func `many guesses at once do not outrun the count`() async throws {
    let world = try await World()
    let node = try world.node("DataStoreDecisionNode")
    let request = world.request
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<20 {
        group.addTask {
          var visit = Visit(
            node: node, request: request, state: JourneyState(username: "mira", password: "wrong"))
          _ = try? await visit.evaluate()
        }
      }
    }
    var right = try world.visit(
      "DataStoreDecisionNode", state: JourneyState(username: "mira", password: World.password))
    #expect(try await right.evaluate() == .outcome("false"))
    #expect(try await world.lockout().lockCount == 1)
  }

  // MARK: States of a password

  private func change(_ world: World, _ set: (inout UserChange) -> Void) async throws {
    let user = try #require(await world.store.user(named: "mira", realm: "alpha"))
    var change = UserChange(of: user)
    set(&change)
    guard case .changed = try await world.store.updateUser(change) else { throw Unexpected("not changed") }
  }

  /// The nodes that check a password, and what their outcomes are called.
  static let checking: [(node: String, right: String, expired: String, cancelled: String, wrong: String)] = [
    ("IdentityStoreDecisionNode", "TRUE", "EXPIRED", "CANCELLED", "FALSE"),
    ("LdapDecisionNode", "TRUE", "EXPIRED", "CANCELLED", "FALSE"),
    ("DataStoreDecisionNode", "true", "false", "false", "false"),
    ("AgentDataStoreDecisionNode", "true", "false", "false", "false"),
  ]

  @Test(arguments: checking, [0, 1, -1000])
  func `a password past its end signs nobody in, and proves nothing`(
    names: (node: String, right: String, expired: String, cancelled: String, wrong: String),
    seconds: TimeInterval
  ) async throws {
    let world = try await World()
    try await change(world) {
      $0.passwordExpiry = .at(world.now.addingTimeInterval(seconds))
      $0.mustChangePassword = seconds <= 0
    }
    var visit = try world.visit(
      names.node, state: JourneyState(username: "mira", password: World.password))
    #expect(try await visit.evaluate() == .outcome(seconds > 0 ? names.right : names.expired))
    #expect(visit.state.factors == (seconds > 0 ? ["password"] : []))
  }

  @Test(arguments: checking)
  func `a password that was reset proves nothing before it is changed`(
    names: (node: String, right: String, expired: String, cancelled: String, wrong: String)
  ) async throws {
    var world = try await World()
    world.factorChanges = FactorChangePolicy(standard: .strong)
    try await world.pushDevice()
    try await change(world) { $0.mustChangePassword = true }
    let new: [String: JSONValue] = ["": "Battery staple 2"]
    for (choice, outcome): (JSONValue, String) in [(1, names.cancelled), (0, names.right)] {
      var visit = try world.visit(
        names.node, state: JourneyState(username: "MIRA", password: World.password))
      _ = try await visit.ask()
      #expect(visit.state.factors.isEmpty)
      world.advance(10)
      #expect(try await visit.answer([:], new, new, ["": choice]) == .outcome(outcome))
      #expect(visit.state.factors == (outcome == names.right ? ["password"] : []))
      guard outcome == names.right else { continue }
      // The moment at which the old one was right; the password before a second factor asks for none.
      #expect(visit.state.username == "mira" && visit.state.authenticatedAt == world.now - 10)
      #expect(visit.state.transient["password"] == "Battery staple 2")
    }
    var old = try world.visit(names.node, state: JourneyState(username: "mira", password: World.password))
    #expect(try await old.evaluate() == .outcome(names.wrong))
    var again = try world.visit(
      names.node, state: JourneyState(username: "mira", password: "Battery staple 2"))
    #expect(try await again.evaluate() == .outcome(names.right))
  }

  /// Answers to the page that asks for a new password; `nil` means asked again.
  static let changes: [(new: String, again: String, choice: Int64, outcome: String?)] = [
    ("Battery staple 2", "Battery staple 2", 0, "TRUE"), ("Battery staple 2", "Battery staple 3", 0, nil),
    ("short", "short", 0, nil), ("password1", "password1", 0, nil), ("mira-2027", "mira-2027", 0, nil),
    ("lovelace-2027", "lovelace-2027", 0, nil),
    ("", "", 0, nil), (World.password, World.password, 0, nil),
    ("", "", 1, "CANCELLED"),
  ]

  @Test(arguments: changes)
  func `a password that was reset must be changed`(
    new: String, again: String, choice: Int64, outcome: String?
  ) async throws {
    let world = try await World()
    try await self.change(world) {
      $0.mustChangePassword = true
      $0.mail = ["lovelace@example.com"]
    }
    var visit = try world.visit(
      "IdentityStoreDecisionNode", ["mixedCaseForPasswordChangeMessages": true],
      state: JourneyState(username: "mira", password: World.password))
    let asked = try await visit.ask()
    #expect(
      asked.map(\.type) == [
        "TextOutputCallback", "PasswordCallback", "PasswordCallback", "ConfirmationCallback",
      ])
    let result = try await visit.answer([:], ["": .string(new)], ["": .string(again)], ["": .integer(choice)])
    if let outcome {
      #expect(result == .outcome(outcome))
    } else {
      #expect(try visit.callbacks(of: result).count == 4)
    }
    let user = try #require(await world.store.user(named: "mira", realm: "alpha"))
    #expect(user.passwordHash == "plain:\(outcome == "TRUE" ? new : World.password)")
    #expect(user.mustChangePassword == (outcome != "TRUE"))
  }

  @Test func `a new password of a journey ends the sessions that the old one made`() async throws {
    let world = try await World()
    try await change(world) { $0.mustChangePassword = true }
    let record = SessionRecord(
      tokenHash: [1], handle: "thief", realm: "alpha", username: "mira", createdAt: world.now,
      latestAccess: world.now, maximumIdle: 600, expiresAt: world.now + 600, properties: [:])
    _ = try await world.store.openSession(NewSession(record, now: world.now), by: nil)
    var visit = try world.visit(
      "IdentityStoreDecisionNode", state: JourneyState(username: "mira", password: World.password))
    _ = try await visit.ask()
    let new: [String: JSONValue] = ["": "Battery staple 2"]
    #expect(try await visit.answer([:], new, new, ["": 0]) == .outcome("TRUE"))
    #expect(try await world.store.session(tokenHash: [1], now: world.now) == nil)
  }

  /// What happens between the page for a new password and its answer.
  enum Meanwhile: CaseIterable { case reset, deactivated, madeAnew }

  @Test(arguments: Meanwhile.allCases)
  func `an answer with a new password does not undo what became of the account meanwhile`(
    meanwhile: Meanwhile
  ) async throws {
    let world = try await World()
    try await change(world) { $0.mustChangePassword = true }
    var visit = try world.visit(
      "IdentityStoreDecisionNode", state: JourneyState(username: "mira", password: World.password))
    _ = try await visit.ask()
    switch meanwhile {
    case .reset: try await change(world) { $0.password = .init(hash: "plain:by the administrator") }
    case .deactivated: try await change(world) { $0.isActive = false }
    case .madeAnew:
      _ = try await world.store.deleteUser(UniversalID(username: "mira", realm: "alpha"))
      try await world.store.createUser(
        UserRecord(realm: "alpha", username: "mira", passwordHash: "plain:of another", createdAt: world.now))
    }
    let before = try await world.store.user(named: "mira", realm: "alpha")
    let new: [String: JSONValue] = ["": "Battery staple 2"]
    #expect(try await visit.answer([:], new, new, ["": 0]) == .outcome("FALSE"))
    #expect(try await world.store.user(named: "mira", realm: "alpha") == before)
  }

  // MARK: Zero-page login

  private static let headers = ["x-openam-username": "mira", "x-openam-password": "secret"]

  /// Headers, properties, and whether the login may use them.
  static let zeroPage: [(more: [String: String], properties: JSONObject, outcome: String)] = [
    ([:], [:], "true"), (["x-openam-password": ""], [:], "false"),
    (["x-openam-username": ""], [:], "false"),
    (["x-openam-username": String(repeating: "x", count: 257)], [:], "false"),
    ([:], ["usernameHeader": "X-User"], "false"), (["x-user": "mira"], ["usernameHeader": "X-User"], "true"),
    ([:], ["allowWithoutReferer": false], "false"), (["referer": "https://evil.example/"], [:], "false"),
    (["referer": "https://acme.example/login"], ["referrerWhiteList": ["https://acme.example"]], "true"),
    (["referer": "https://acme.example"], ["referrerWhiteList": ["https://acme.example"]], "true"),
    (["referer": "https://acme.example.evil.org/"], ["referrerWhiteList": ["https://acme.example"]], "false"),
    (["referer": "https://evil.example/"], ["referrerWhiteList": ["", "https://acme.example"]], "false"),
    (
      ["referer": "https://acme.example/a?b"],
      ["referrerWhiteList": ["https://acme.example/a"], "allowWithoutReferer": false], "true"
    ),
  ]

  @Test(arguments: zeroPage)
  func `zero-page login takes headers, where the referer allows it`(
    more: [String: String], properties: JSONObject, outcome: String
  ) async throws {
    var visit = try await World().visit("ZeroPageLoginNode", properties)
    visit.request.headers = Self.headers
    for (name, value) in more { visit.request.headers[name] = value }
    #expect(try await visit.evaluate() == .outcome(outcome))
    #expect(visit.state.username == (outcome == "true" ? "mira" : nil))
    #expect(visit.state.transient["password"] == (outcome == "true" ? "secret" : JSONValue?.none))
  }
}
