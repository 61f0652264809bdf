import Accounts
import Foundation
import JourneyEngine
import JourneyStore
import MailService
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Consent, new passwords and provisioned accounts")
struct AccountNodeTests {
  // MARK: Consent

  private static let crm = ConsentMapping(
    "managedUser_crm", displayName: "Newsletter", icon: "https://example.com/i.png",
    accessLevel: "Actual Profile", fields: ["mail", "sn"])

  private func world(_ mappings: [ConsentMapping]) async throws -> World {
    var world = try await World()
    world.consentMappings = mappings
    return world
  }

  @Test func `nothing is asked where nothing is shared`() async throws {
    let world = try await world([])
    var visit = try world.visit("ConsentNode", ["allRequired": true])
    #expect(visit.node.outcomes == ["outcome"] && visit.node.warnings.count == 1)
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.shared["objectAttributes"] == nil)
  }

  @Test func `each mapping is asked about, and what was agreed to is collected with its moment`() async throws
  {
    let world = try await world([Self.crm, ConsentMapping("billing", isRequired: true)])
    var visit = try world.visit(
      "ConsentNode", ["message": ["en": "Share?", "fr": "Partager ?"]],
      state: JourneyState(collected: ["sn": "Byron"]))
    let asked = try await visit.ask()
    #expect(
      asked[0].outputs == [
        .init("name", "managedUser_crm"), .init("displayName", "Newsletter"),
        .init("icon", "https://example.com/i.png"), .init("accessLevel", "Actual Profile"),
        .init("isRequired", false), .init("message", "Share?"), .init("fields", ["mail", "sn"]),
      ])
    #expect(asked[0].type == "ConsentMappingCallback" && asked[0].inputs == [.init("", false)])
    #expect(asked[1].output("displayName") == "billing" && asked[1].output("isRequired") == true)
    #expect(try await visit.answer(["": false], ["": true]) == .outcome("outcome"))
    #expect(
      visit.state.shared["objectAttributes"] == [
        "sn": "Byron",
        "consentedMappings": [["mapping": "billing", "consentDate": "2027-01-15T08:00:00Z"]],
      ])
  }

  @Test(arguments: [[:], ["": false], ["": "x"], ["": .null], ["": 1]] as [[String: JSONValue]])
  func `a required consent is asked for again until it is given`(answer: [String: JSONValue]) async throws {
    let cases: [(ConsentMapping, JSONObject)] = [
      (Self.crm, ["allRequired": true]), (ConsentMapping("crm", isRequired: true), [:]),
    ]
    for (mapping, properties) in cases {
      var visit = try await world([mapping]).visit("ConsentNode", properties)
      let asked = try await visit.ask()
      #expect(asked[0].output("isRequired") == true)
      #expect(try await visit.answer(answer) == .callbacks(asked))
      #expect(visit.state.shared["objectAttributes"] == nil)
      #expect(try await visit.answer(["": "true"]) == .outcome("outcome"))
    }
  }

  @Test
  func `the consents are the account's, a later refusal takes them back, and the owner cannot write them`()
    async throws
  {
    let world = try await world([Self.crm])
    for (answer, count) in [(true, 1), (false, 0)] {
      var ask = try world.visit("ConsentNode", state: JourneyState(username: "mira"))
      _ = try await ask.ask()
      #expect(try await ask.answer(["": .bool(answer)]) == .outcome("outcome"))
      var patch = try world.visit("PatchObjectNode", state: ask.state)
      #expect(try await patch.evaluate() == .outcome("PATCHED"))
      #expect(try await world.user().attributes["consentedMappings"]?.arrayValue?.count == count)
    }
    var open = Attribute("consentedMappings", type: .array)
    open.isUserEditable = true
    #expect(!ManagedSchema([open]).isEditable("consentedMappings"))
  }

  private typealias Attribute = ManagedSchema.Attribute

  @Test func `a schema that names all attributes keeps what nodes note all the same`() async throws {
    var world = try await World()
    var schema = ManagedSchema.standard
    schema.allowsOthers = false
    world.schema = schema
    let state = JourneyState(
      username: "mira",
      collected: ["consentedMappings": [], "termsAccepted": ["termsVersion": "1"]])
    var patch = try world.visit("PatchObjectNode", state: state)
    #expect(try await patch.evaluate() == .outcome("PATCHED"))
    var other = try world.visit(
      "PatchObjectNode", state: JourneyState(username: "mira", collected: ["badge": "1"]))
    #expect(try await other.evaluate() == .outcome("FAILURE"))
  }

  // MARK: Passwords

  @Test func `a new password is asked for twice, and stays in the journey`() async throws {
    let world = try await World()
    var visit = try world.visit("CreatePasswordNode", ["minPasswordLength": 12])
    let asked = try await visit.ask()
    #expect(asked.map(\.type) == ["PasswordCallback", "PasswordCallback"])
    #expect(asked.compactMap { $0.output("prompt")?.stringValue } == ["Password", "Confirm Password"])
    let different = try await visit.callbacks(
      of: visit.answer(["": "a quite long one"], ["": "a quite long two"]))
    #expect(different[0].output("message") == "The passwords do not match.")
    #expect(different[0].output("messageType") == "2" && Array(different.dropFirst()) == asked)
    // The refusal stands before the questions now.
    let short = try await visit.callbacks(of: visit.answer([:], ["": "eleven char"], ["": "eleven char"]))
    #expect(short[0].output("message") == "The password must have at least 12 characters.")
    let password = "twelve chars"
    #expect(
      try await visit.answer([:], ["": .string(password)], ["": .string(password)]) == .outcome("outcome"))
    #expect(visit.state.transient == ["password": .string(password)] && visit.state.shared.isEmpty)
  }

  @Test(arguments: ["short", "password1", "ada.byron!", "", String(repeating: "x", count: 300)])
  func `the server's policy holds whatever the file says`(password: String) async throws {
    var visit = try await World().visit(
      "CreatePasswordNode", ["minPasswordLength": 0],
      state: JourneyState(username: "ada.byron", collected: [:]))
    _ = try await visit.ask()
    let answer: [String: JSONValue] = ["": .string(password)]
    guard case .callbacks(let again) = try await visit.answer(answer, answer) else {
      Issue.record("accepted \(password)")
      return
    }
    #expect(again.count == 3 && visit.state.transient["password"] == nil)
  }

  // MARK: Provisioning

  private static let collected: JSONObject = [
    "userName": "ada", "givenName": "Ada", "sn": "Byron", "mail": "ada@example.com",
    "aliasList": ["https://op.example.com ada"], "accountStatus": "inactive", "_id": "chosen",
  ]

  @Test(arguments: ["ProvisionDynamicAccountNode", "ProvisionIdmAccountNode"])
  func `a provisioned account is linked, and has the password that was chosen`(type: String) async throws {
    let world = try await World()
    var state = JourneyState(collected: Self.collected)
    state.transient["password"] = .string(World.password)
    var visit = try world.visit(
      type, ["accountProviderClass": "org.forgerock.Default"], state: state)
    #expect(visit.node.outcomes == ["outcome"])
    #expect(try await visit.evaluate() == .outcome("outcome"))
    let ada = try await world.user("ada")
    #expect(ada.attributes["aliasList"] == ["https://op.example.com ada"] && ada.isActive)
    #expect(ada.passwordHash == "plain:\(World.password)" && ada.id != "chosen")
    #expect(visit.state.username == "ada" && visit.state.shared["_id"] == .string(ada.id))
  }

  @Test func `without a name the account gets a random one, without a password it has none`() async throws {
    let world = try await World()
    var collected = Self.collected
    collected["userName"] = nil
    var visit = try world.visit("ProvisionDynamicAccountNode", state: JourneyState(collected: collected))
    #expect(try await visit.evaluate() == .outcome("outcome"))
    let name = try #require(visit.state.username)
    #expect(name.count == 36)
    #expect(try await world.user(name).passwordHash == nil)
  }

  @Test(
    arguments: [
      ["userName": "mira"], ["mail": nil], ["aliasList": ["https://op.example.com rosa"]],
      ["password": "short"], ["userName": "a/b"],
    ] as [[String: JSONValue?]])
  func `what CreateObjectNode would not create is not provisioned`(change: [String: JSONValue?]) async throws
  {
    let world = try await World()
    let schema = world.schema
    _ = try await world.store.use(schema.index)
    try await world.set(["aliasList": ["https://op.example.com rosa"]], of: "rosa")
    var collected = Self.collected
    for (name, value) in change { collected[name] = value }
    let state = JourneyState(collected: collected)
    var create = try world.visit("CreateObjectNode", state: state)
    #expect(try await create.evaluate() == .outcome("FAILURE"))
    for type in ["ProvisionDynamicAccountNode", "ProvisionIdmAccountNode"] {
      var visit = try world.visit(type, state: state)
      await #expect(throws: NodeError.self) { try await visit.evaluate() }
      #expect(visit.state.username == nil)
    }
  }

  // MARK: Mail

  private func visit(
    _ world: World, _ state: JourneyState, _ properties: JSONObject = MailNodeTests.properties,
    attachments: JourneyAttachments = MailNodeTests.attachments
  ) throws -> Visit {
    try world.visit("EmailTemplateNode", properties, state: state, attachments: attachments)
  }

  @Test func `a template goes to the account's own address, and the journey goes on`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await world.set(["givenName": "Mira"], mail: ["mira@example.com"])
    var visit = try visit(
      world,
      JourneyState(username: "mira", collected: ["mail": "attacker@example.net", "password": "secret"]))
    #expect(visit.node.outcomes == ["EMAIL_SENT", "EMAIL_NOT_SENT"] && visit.node.warnings.isEmpty)
    #expect(try await visit.evaluate() == .outcome("EMAIL_SENT"))
    let message = try #require(mail.messages.first)
    #expect(message.recipient.text == "mira@example.com" && message.subject == "Hello Mira")
    // Counted as mail without a link: five an hour to one address.
    #expect(message.link == nil && mail.messages.count == 1)
  }

  @Test(arguments: ["nobody", "otto", "rosa"])
  func `who gets no mail is told only to whom the journey has verified`(name: String) async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await world.set([:], mail: ["otto@example.com"], of: "otto")
    var unverified = try visit(world, JourneyState(username: name))
    #expect(try await unverified.evaluate() == .outcome("EMAIL_SENT"))
    var typed = try visit(world, JourneyState(collected: ["mail": .string("\(name)@example.org")]))
    #expect(try await typed.evaluate() == .outcome("EMAIL_SENT"))
    var state = JourneyState(username: name)
    state.noteAuthentication(at: world.now)
    var verified = try visit(world, state)
    #expect(try await verified.evaluate() == .outcome("EMAIL_NOT_SENT"))
    #expect(mail.messages.isEmpty && !unverified.reasons.isEmpty)
  }

  @Test func `a template that is missing, switched off or cannot be read sends nobody mail`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await world.set([:], mail: ["mira@example.com"])
    let cases: [[String: JSONObject]] = [
      [:], ["welcome": ["enabled": false, "message": "x"]], ["welcome": ["message": 1]],
    ]
    for templates in cases {
      var visit = try visit(
        world, JourneyState(username: "mira"), attachments: JourneyAttachments(emailTemplates: templates))
      #expect(try await visit.evaluate() == .outcome("EMAIL_NOT_SENT"))
    }
    #expect(mail.messages.isEmpty)
    #expect(
      world.warnings("EmailTemplateNode", ["emailTemplateName": "gone"]).contains {
        $0.problem.contains("EMAIL_NOT_SENT")
      })
  }
}
