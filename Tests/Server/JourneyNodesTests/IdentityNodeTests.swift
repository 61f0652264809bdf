import Accounts
import BindingFormats
import Foundation
import JourneyEngine
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Nodes about identities")
struct IdentityNodeTests {
  // MARK: Collecting

  @Test func `attributes are asked for by their types, and collected`() async throws {
    var visit = try await World().visit(
      "AttributeCollectorNode",
      ["attributesToCollect": ["mail", "preferences/updates"], "required": true, "validateInputs": true])
    let asked = try await visit.ask()
    #expect(asked.map(\.type) == ["StringAttributeInputCallback", "BooleanAttributeInputCallback"])
    #expect(asked[0].output("name") == "mail" && asked[0].output("prompt") == "Email Address")
    #expect(asked[0].output("required") == true && asked[1].output("name") == "preferences/updates")
    let again = try visit.callbacks(of: try await visit.answer(["": "no address"], ["": true]))
    let failed = try #require(again[0].output("failedPolicies")?[0]?.stringValue)
    #expect(failed.contains("VALID_EMAIL_ADDRESS_FORMAT") && again[0].output("value") == "no address")
    #expect(
      try visit.callbacks(of: try await visit.answer(["": ""], ["": true]))[0].output("failedPolicies")?[0]
        != nil)
    _ = try visit.callbacks(of: try await visit.answer(["": "a@x.org", "validateOnly": true], ["": true]))
    #expect(try await visit.answer(["": "a@x.org"], ["": true]) == .outcome("outcome"))
    #expect(visit.state.shared["objectAttributes"] == ["mail": "a@x.org", "preferences": ["updates": true]])
  }

  @Test(
    arguments: [
      .string(String(repeating: "x", count: 5000)), 5, ["a"], ["a": "b"],
    ] as [JSONValue])
  func `an answer of the wrong form is asked for again`(answer: JSONValue) async throws {
    var visit = try await World().visit("AttributeCollectorNode", ["attributesToCollect": ["givenName"]])
    _ = try visit.callbacks(of: try await visit.answer(["": answer]))
  }

  @Test func `a profile is shown to a user who has proven who they are, and to nobody who only has the name`()
    async throws
  {
    let world = try await World()
    try await world.set(["givenName": "Mira"], mail: ["mira@example.com"])
    let properties: JSONObject = ["attributesToCollect": ["givenName", "mail"]]
    var stranger = try world.visit(
      "AttributeCollectorNode", properties, state: JourneyState(username: "mira"))
    #expect(try await stranger.ask().map { $0.output("value") } == ["", ""])
    var state = JourneyState(username: "mira")
    state.noteAuthentication(at: world.now)
    var owner = try world.visit("AttributeCollectorNode", properties, state: state)
    #expect(try await owner.ask().map { $0.output("value") } == ["Mira", "mira@example.com"])
  }

  @Test(arguments: [["password"], ["a//b"], [""]] as [[JSONValue]])
  func `attributes that cannot be collected are refused when the journey is loaded`(names: [JSONValue])
    async throws
  {
    let world = try await World()
    #expect(throws: JourneyFileError.self) {
      _ = try world.node("AttributeCollectorNode", ["attributesToCollect": .array(names)])
    }
  }

  @Test func `without attributes to collect nothing is asked`() async throws {
    var visit = try await World().visit("AttributeCollectorNode", ["attributesToCollect": []])
    #expect(try await visit.evaluate() == .outcome("outcome"))
  }

  // MARK: Finding

  @Test(arguments: [
    ("mira@example.com", "mira"), ("MIRA@example.com", "mira"), ("shared@example.com", nil),
    ("x@example.com", nil), ("", nil),
  ])
  func `an account is found by an address that it alone has`(mail: String, name: String?) async throws {
    let world = try await World()
    try await world.set([:], mail: ["shared@example.com", "mira@example.com"])
    try await world.set([:], mail: ["shared@example.com"], of: "rosa")
    var visit = try world.visit(
      "IdentifyExistingUserNode", ["identityAttribute": "mail", "identifier": "userName"],
      state: JourneyState(collected: ["mail": .string(mail)]))
    #expect(try await visit.evaluate() == .outcome(name == nil ? "false" : "true"))
    #expect(visit.state.username == name)
    if name != nil { #expect(visit.state.shared["_id"] == .string(try await world.user().id)) }
  }

  @Test func `a collected address leads no journey away from the account that it has named`() async throws {
    let world = try await World()
    try await world.set([:], mail: ["rosa@example.com"], of: "rosa")
    var visit = try world.visit(
      "PatchObjectNode", ["identityAttribute": "mail"],
      state: JourneyState(username: "mira", collected: ["mail": "rosa@example.com", "sn": "Weber"]))
    #expect(try await visit.evaluate() == .outcome("PATCHED"))
    #expect(try await world.user("rosa").attributes["sn"] == nil)
    #expect(try await world.user("mira").attributes["sn"] == "Weber")
  }

  // MARK: Creating and changing

  @Test func `somebody registers, and the journey goes on as the new account`() async throws {
    let world = try await World()
    var state = JourneyState(
      collected: [
        "userName": "ada", "givenName": "Ada", "sn": "Lovelace", "mail": "ada@example.com",
        "accountStatus": "inactive", "_id": "chosen", "preferences": ["updates": true],
      ])
    state.transient["objectAttributes"] = ["password": "Correct horse 1"]
    var required = try world.visit("RequiredAttributesDecisionNode", state: state)
    #expect(try await required.evaluate() == .outcome("true"))
    var visit = try world.visit("CreateObjectNode", ["identityResource": "managed/alpha_user"], state: state)
    #expect(try await visit.evaluate() == .outcome("CREATED"))
    let ada = try await world.user("ada")
    #expect(ada.isActive && ada.id != "chosen" && visit.state.username == "ada")
    #expect(ada.mail == ["ada@example.com"] && ada.attributes["preferences"] == ["updates": true])
    #expect(ada.passwordHash == "plain:Correct horse 1" && ada.attributes["password"] == nil)
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
  }

  @Test func `what is missing keeps somebody from registering`() async throws {
    let world = try await World()
    let state = JourneyState(collected: ["userName": "ada", "givenName": "Ada"])
    var required = try world.visit("RequiredAttributesDecisionNode", state: state)
    #expect(try await required.evaluate() == .outcome("false"))
    #expect(required.reasons == ["not collected: sn, mail"])
    var visit = try world.visit("CreateObjectNode", state: state)
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
  }

  @Test func `a patch writes what was collected, keeps the rest, and ignores what it is told to`()
    async throws
  {
    let world = try await World()
    try await world.set(["sn": "Weber", "preferences": ["marketing": true]], mail: ["mira@example.com"])
    let collected: JSONObject = [
      "givenName": "Mira", "city": "Bonn", "preferences": ["updates": false], "userName": "somebody",
      "accountStatus": "inactive",
    ]
    var visit = try world.visit(
      "PatchObjectNode", ["ignoredFields": ["city"]],
      state: JourneyState(username: "MIRA", collected: collected))
    #expect(try await visit.evaluate() == .outcome("PATCHED"))
    let mira = try await world.user()
    #expect(
      mira.attributes
        == ["sn": "Weber", "givenName": "Mira", "preferences": ["marketing": true, "updates": false]])
    #expect(mira.mail == ["mira@example.com"] && mira.isActive)
  }

  @Test func `a patch as the user keeps to what users may change`() async throws {
    let world = try await World()
    let state = JourneyState(username: "mira", collected: ["loginCount": 0])
    var visit = try world.visit("PatchObjectNode", ["patchAsObject": true], state: state)
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
  }

  @Test func `a new password follows the policy and the requirement for changes of factors`() async throws {
    var world = try await World()
    var state = JourneyState(username: "mira")
    state.transient["objectAttributes"] = ["password": "short"]
    var visit = try world.visit("PatchObjectNode", state: state)
    #expect(try await visit.evaluate() == .outcome("FAILURE"))
    state.transient["objectAttributes"] = ["password": "Another horse 2"]
    world.factorChanges = FactorChangePolicy(standard: .fresh)
    var refused = try world.visit("PatchObjectNode", state: state)
    await #expect(throws: NodeRefusal.self) { _ = try await refused.evaluate() }
    state.noteAuthentication(at: world.now, by: "mail")
    visit = try world.visit("PatchObjectNode", state: state)
    #expect(try await visit.evaluate() == .outcome("PATCHED"))
    let mira = try await world.user()
    #expect(mira.passwordHash == "plain:Another horse 2" && mira.passwordVersion == 1)
    #expect(visit.state.passwordMark == PasswordMark(mira).text)
  }

  @Test(arguments: ["managed/role", "internal/user"])
  func `other objects than users are refused when the journey is loaded`(resource: String) async throws {
    let world = try await World()
    for type in ["CreateObjectNode", "PatchObjectNode", "RequiredAttributesDecisionNode"] {
      #expect(throws: JourneyFileError.self) {
        _ = try world.node(type, ["identityResource": .string(resource)])
      }
    }
  }

  // MARK: Deciding

  @Test(
    arguments: [
      ("AttributePresentDecisionNode", ["presentAttribute": "password"], "true"),
      ("AttributePresentDecisionNode", ["presentAttribute": "sn"], "true"),
      ("AttributePresentDecisionNode", ["presentAttribute": "city"], "false"),
      ("AttributePresentDecisionNode", ["presentAttribute": "kbaInfo"], "false"),
      (
        "AttributeValueDecisionNode",
        ["comparisonOperation": "EQUALS", "comparisonAttribute": "sn", "comparisonValue": "weber"], "true"
      ),
      (
        "AttributeValueDecisionNode",
        ["comparisonOperation": "EQUALS", "comparisonAttribute": "age", "comparisonValue": "36"], "true"
      ),
      (
        "AttributeValueDecisionNode",
        ["comparisonOperation": "EQUALS", "comparisonAttribute": "sn", "comparisonValue": "x"], "false"
      ),
      (
        "AttributeValueDecisionNode",
        ["comparisonOperation": "PRESENT", "comparisonAttribute": "preferences/updates"], "true"
      ),
      (
        "QueryFilterDecisionNode", ["queryFilter": "!(/preferences pr) or /preferences/marketing eq false"],
        "true"
      ),
      ("QueryFilterDecisionNode", ["queryFilter": "/age gt 40"], "false"),
      ("LoginCountDecisionNode", ["interval": "AT", "amount": 6], "true"),
      ("LoginCountDecisionNode", ["interval": "AT", "amount": 3], "false"),
      ("LoginCountDecisionNode", ["interval": "EVERY", "amount": 3], "true"),
      ("LoginCountDecisionNode", ["interval": "EVERY", "amount": 4], "false"),
    ] as [(String, JSONObject, String)])
  func `a profile decides`(type: String, properties: JSONObject, outcome: String) async throws {
    let world = try await World()
    try await world.set(
      [
        "sn": "Weber", "age": 36, "loginCount": 6, "preferences": ["updates": false, "marketing": false],
        "kbaInfo": [1],
      ])
    var visit = try world.visit(type, properties, state: JourneyState(username: "mira"))
    #expect(try await visit.evaluate() == .outcome(outcome))
    var stranger = try world.visit(type, properties, state: JourneyState(username: "nobody"))
    #expect(try await stranger.evaluate() == .outcome("false"))
  }

  @Test func `a filter that cannot be read is refused when the journey is loaded`() async throws {
    let world = try await World()
    #expect(throws: JourneyFileError.self) {
      _ = try world.node("QueryFilterDecisionNode", ["queryFilter": "a eq"])
    }
    #expect(throws: JourneyFileError.self) { _ = try world.node("QueryFilterDecisionNode", [:]) }
  }

  @Test func `sign-ins are counted`() async throws {
    let world = try await World()
    var visit = try world.visit("IncrementLoginCountNode", state: JourneyState(username: "mira"))
    for _ in 0..<3 { #expect(try await visit.evaluate() == .outcome("outcome")) }
    #expect(try await world.user().attributes["loginCount"] == 3)
    var stranger = try world.visit("IncrementLoginCountNode", state: JourneyState(username: "nobody"))
    #expect(try await stranger.evaluate() == .outcome("outcome"))
  }

  /// PingAM says nothing about a member of an object that has no policies.
  @Test(
    arguments: [
      ("preferences/marketing", true, "BooleanAttributeInputCallback", [:]),
      ("preferences/marketing", false, "BooleanAttributeInputCallback", [:]),
      ("mail", false, "StringAttributeInputCallback", [:]),
      ("city", true, "StringAttributeInputCallback", ["name": "city", "policyRequirements": []]),
      (
        "mail", true, "StringAttributeInputCallback",
        ["name": "mail", "policyRequirements": ["VALID_EMAIL_ADDRESS_FORMAT"]]
      ),
    ] as [(String, Bool, String, JSONValue)])
  func `an attribute's policies`(name: String, isValidated: Bool, type: String, policies: JSONValue)
    async throws
  {
    var visit = try await World().visit(
      "AttributeCollectorNode",
      ["attributesToCollect": [.string(name)], "validateInputs": .bool(isValidated)])
    let asked = try #require(try await visit.ask().first)
    #expect(asked.type == type)
    let described = try #require(asked.output("policies")?.objectValue)
    #expect(described["name"] == policies["name"])
    #expect(described["policyRequirements"] == policies["policyRequirements"])
    #expect(described.isEmpty == (policies == [:]))
  }

  // MARK: Terms and questions

  @Test func `terms have to be accepted`() async throws {
    let world = try await World()
    var visit = try world.visit("AcceptTermsAndConditionsNode")
    let asked = try await visit.ask()
    #expect(asked[0].type == "TermsAndConditionsCallback" && asked[0].output("version") == "0.0")
    #expect(try await visit.answer(["": false]) == .callbacks(asked))
    #expect(try await visit.answer(["": true]) == .outcome("outcome"))
    #expect(visit.state.objectAttributes["termsAccepted"]?["termsVersion"] == "0.0")
  }

  @Test func `answers to security questions are hashed, and stand nowhere in clear`() async throws {
    let world = try await World()
    var visit = try world.visit("KbaCreateNode", state: JourneyState(username: "mira"))
    let asked = try await visit.ask()
    #expect(asked.count == 2 && asked[0].type == "KbaCreateCallback")
    let question = try #require(asked[0].output("predefinedQuestions")?[0])
    for bad in [["question": question, "answer": ""], ["question": question, "answer": " Secret Street "]]
      as [[String: JSONValue]]
    {
      // Twice the same question.
      #expect(
        try await visit.answer(["question": question, "answer": " Secret Street "], bad) == .callbacks(asked))
    }
    #expect(
      try await visit.answer(
        ["question": question, "answer": " Secret Street "], ["question": "My own?", "answer": "Yes"])
        == .outcome("outcome"))
    let stored = visit.state.objectAttributes["kbaInfo"]
    #expect(stored?[0] == ["questionId": "1", "answer": ["hash": "plain:secret street"]])
    #expect(stored?[1]?["customQuestion"] == "My own?" && visit.state.shared["objectAttributes"] == nil)
    var patch = try world.visit("PatchObjectNode", state: visit.state)
    #expect(try await patch.evaluate() == .outcome("PATCHED"))
    let id = try await world.user().id
    #expect(try await world.users.read("managed/user/\(id)", realm: "alpha")?["kbaInfo"] == nil)
  }

  @Test func `the name is shown of the account that the journey is about`() async throws {
    let world = try await World()
    try await world.set(["displayName": "Mira W."])
    var visit = try world.visit(
      "DisplayUserNameNode", ["userName": "displayName"], state: JourneyState(username: "mira"))
    #expect(try await visit.ask() == [StandardCallback.text("Mira W.")])
    #expect(try await visit.answer([:]) == .outcome("outcome"))
    var stranger = try world.visit("DisplayUserNameNode", state: JourneyState(username: "nobody"))
    #expect(try await stranger.evaluate() == .outcome("outcome"))
  }
}
