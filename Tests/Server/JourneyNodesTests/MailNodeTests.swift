import BindingFormats
import Bytes
import Concurrency
import Foundation
import JourneyEngine
import JourneyStore
import MailService
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite("Mail of journeys")
struct MailNodeTests {
  static let template: JSONObject = [
    "enabled": true, "from": "Example <hello@example.com>",
    "subject": ["en": "Hello {{object.givenName}}", "de": "Hallo {{object.givenName}}"],
    "message": [
      "en":
        "<html><body><h3>Hi {{object.givenName}}</h3><p><a href=\"{{object.resumeURI}}\">Go on</a></p></body></html>",
      "de": "<p>Weiter: {{object.resumeURI}}</p>",
    ],
  ]
  static let properties: JSONObject = [
    "emailTemplateName": "welcome", "objectLookup": true, "identityAttribute": "mail",
    "emailSuspendMessage": ["en": "Look into your mail."],
  ]
  static let attachments = JourneyAttachments(emailTemplates: ["welcome": template])

  /// As `Character`s, these are not quotation marks and brackets any more.
  @Test func `a value before a combining accent makes no mark either`() throws {
    let template = try #require(
      try MailTemplate(["subject": "Hello", "message": "<p title=\"{{object.givenName}}\">Hello</p>"]))
    let name = "\"\u{301} onmouseover=alert(1) <\u{338}b>"
    let message = template.message(
      to: try #require(MailAddress("mira@example.com")), object: ["givenName": .string(name)],
      locales: ["en"], mail: .none)
    let html = try #require(message.html)
    #expect(
      Array(html.utf8)
        == Array("<p title=\"&quot;\u{301} onmouseover=alert(1) &lt;\u{338}b&gt;\">Hello</p>".utf8))
  }

  @Test(arguments: [
    ("Mira", "Mira"), ("Mira\r\nBcc: x@y.org\n\nYou have won", "Mira Bcc: x@y.org You have won"),
    ("J.R. O'Hara-Núñez 2.5", "J.R. O'Hara-Núñez 2.5"),
    ("see https://evil.example/a?b", "see https evil. example/a?b"),
    ("www.evil.example", "www. evil. example"), ("evil\u{3002}example", "evil\u{3002} example"),
    ("e\u{200B}vil.ex\u{202E}ample", "evil. example"), ("a\u{2028}b\u{A0}c", "a b c"),
    ("mira@example.com", "mira@example.com"), ("mira@example.com/login", "mira@example. com/login"),
    ("x@[evil.example]", "x@[evil. example]"),
    // Browsers read over variation selectors. The mark and the letter make one `Character` with the sign beside them.
    ("https://\u{FE0F}evil.\u{FE0F}example", "https \u{FE0F}evil. \u{FE0F}example"),
    ("evil.e\u{FE0F}x\u{FE0F}", "evil. e\u{FE0F}x\u{FE0F}"),
    ("evil\u{0D4E}.example", "evil\u{0D4E}. example"),
    ("https://\u{301}@192.0.2.1/x.y", "https \u{301}@192.0.2.1/x.y"), ("J.R\u{301}.", "J.R\u{301}."),
    (String(repeating: "win ", count: 300), String(repeating: "win ", count: 25)),
  ]) func `what people say of themselves is one short line in a mail, and no page's address`(
    said: String, written: String
  ) throws {
    let template = try #require(
      try MailTemplate([
        "subject": "{{object.givenName}}", "message": "<p>{{object.givenName}}</p>",
        "text": "{{object.givenName}}",
      ]))
    let message = template.message(
      to: try #require(MailAddress("victim@example.org")), object: ["givenName": .string(said)],
      locales: ["en"], mail: .none)
    #expect(message.subject == written && message.text == written)
    #expect(message.html == "<p>\(MarkupText.html(written))</p>")
  }

  @Test func `the server's own link, the account's name and its address stay as they are`() throws {
    let template = try #require(
      try MailTemplate(["text": "{{object.userName}} {{object.mail}} {{object.resumeURI}} {{object.sn}}"]))
    let message = template.message(
      to: try #require(MailAddress("x+y@mail.example.org")),
      object: [
        "userName": "mira.example", "mail": "x+y@mail.example.org", "sn": "mira.example",
        "resumeURI": "https://evil.example/",
      ], link: "https://id.example.com/am?suspendedId=1", username: "mira.example", locales: ["en"],
      mail: .none)
    #expect(
      message.text
        == "mira.example x+y@mail.example.org https://id.example.com/am?suspendedId=1 mira. example")
  }

  @Test func `a link goes to the account's own address, and nowhere else`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    try await world.set(["givenName": "<b>Mira</b>"], mail: ["mira@example.com"])
    var visit = try world.visit(
      "EmailSuspendNode", Self.properties,
      state: JourneyState(username: "mira", collected: ["mail": "attacker@example.net"]),
      attachments: Self.attachments)
    guard case .suspend(let suspension) = try await visit.evaluate() else {
      throw Unexpected("not suspended")
    }
    #expect(suspension.message == "Look into your mail." && !suspension.message.contains(suspension.link.id))
    #expect(mail.messages.isEmpty, "before the journey is stored")
    try await suspension.afterStoring()
    let message = try #require(mail.messages.first)
    #expect(message.recipient.text == "mira@example.com" && message.from.text == "hello@example.com")
    #expect(message.subject == "Hello <b>Mira</b>")
    // Links are counted for a node of a realm's journey, and for who asks.
    #expect(message.link?.purpose.hasSuffix("\nn") == true)
    #expect(message.link?.requester == visit.request.clientAddress)
    #expect(message.html?.contains("Hi &lt;b&gt;Mira&lt;/b&gt;") == true)
    #expect(message.html?.contains("href=\"https://id.example.com/am?suspendedId=secret-id\"") == true)
    #expect(message.text.contains("Go on (https://id.example.com/am?suspendedId=secret-id)"))
    visit.isResumed = true
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.factors == ["mail"] && visit.state.authenticatedAt == world.now)
  }

  @Test(arguments: ["nobody", "otto", "rosa"])
  func `who has no active account with an address gets the same answer and no mail`(name: String) async throws
  {
    var world = try await World()
    let mail = try world.recordMail()
    try await world.set([:], mail: ["mira@example.com"])
    if name == "otto" { try await world.set([:], mail: ["otto@example.com"], of: "otto") }
    func answer(_ name: String) async throws -> Suspension {
      var visit = try world.visit(
        "EmailSuspendNode", Self.properties, state: JourneyState(username: name),
        attachments: Self.attachments)
      guard case .suspend(let suspension) = try await visit.evaluate() else {
        throw Unexpected("not suspended")
      }
      try await suspension.afterStoring()
      return suspension
    }
    let known = try await answer("mira")
    #expect(try await answer(name) == known)
    #expect(mail.messages.count == 1)
    // Both answers wait for the same moment, after all that was done for them.
    let pauses = world.pauses.withLock { $0 }
    #expect(pauses.count == 2 && pauses.allSatisfy { $0 > .zero && $0 < .seconds(60) })
  }

  @Test func `an address that is collected while somebody registers proves nothing about an account`()
    async throws
  {
    var world = try await World()
    let mail = try world.recordMail()
    var properties = Self.properties
    properties["objectLookup"] = false
    var visit = try world.visit(
      "EmailSuspendNode", properties,
      state: JourneyState(username: "mira", collected: ["mail": "new@example.com", "givenName": "New"]),
      attachments: Self.attachments)
    visit.request.locales = ["de-CH"]
    guard case .suspend(let suspension) = try await visit.evaluate() else {
      throw Unexpected("not suspended")
    }
    try await suspension.afterStoring()
    #expect(mail.messages.map(\.recipient.text) == ["new@example.com"])
    #expect(mail.messages.first?.subject == "Hallo New")
    visit.isResumed = true
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.authenticatedAt == nil && visit.state.factors.isEmpty)
  }

  @Test(arguments: ["a@x.org\r\nBcc: b@x.org", "a@x.org, b@x.org", "<a@x.org>", "", "a@"])
  func `what is no single address gets no mail`(address: String) async throws {
    var world = try await World()
    let mail = try world.recordMail()
    var visit = try world.visit(
      "EmailSuspendNode", ["objectLookup": false], state: JourneyState(collected: ["mail": .string(address)]))
    guard case .suspend(let suspension) = try await visit.evaluate() else {
      throw Unexpected("not suspended")
    }
    try await suspension.afterStoring()
    #expect(mail.messages.isEmpty)
  }

  @Test func `a template that is switched off is told when the journey is loaded`() async throws {
    let world = try await World()
    var off = Self.template
    off["enabled"] = false
    let silent = try world.visit(
      "EmailSuspendNode", Self.properties, state: JourneyState(),
      attachments: JourneyAttachments(emailTemplates: ["welcome": off]))
    #expect(silent.node.warnings.first?.contains("switched off") == true)
  }

  @Test
  func
    `who is found by a collected address is the journey's user once the link was followed, and not before`()
    async throws
  {
    var world = try await World()
    _ = try world.recordMail()
    try await world.set([:], mail: ["mira@example.com"])
    var visit = try world.visit(
      "EmailSuspendNode", Self.properties, state: JourneyState(collected: ["mail": "mira@example.com"]),
      attachments: Self.attachments)
    _ = try await visit.evaluate()
    #expect(visit.state.username == nil)
    visit.isResumed = true
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.username == "mira" && visit.state.factors == ["mail"])
    visit.state = JourneyState(username: "rosa")
    visit.notes["account"] = .string(try await world.user().id)
    #expect(try await visit.evaluate() == .outcome("outcome"))
    #expect(visit.state.username == "rosa" && visit.state.authenticatedAt == nil)
  }

  // MARK: One-time codes

  @Test func `five wrong answers end a code that nobody's account counts`() async throws {
    let world = try await World()
    var make = try world.visit("OneTimePasswordGeneratorNode")
    #expect(try await make.evaluate() == .outcome("outcome"))
    let code = try #require(make.state.transient["oneTimePassword"])
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: make.state)
    for _ in 0..<5 { #expect(try await visit.answer(["": "x"]) == .outcome("false")) }
    #expect(try await visit.answer(["": code]) == .outcome("false"))
  }

  @Test(arguments: [Int64.min, .max])
  func `a code whose time or tries a script has set to any number is not right`(
    _ number: Int64
  ) async throws {
    let world = try await World()
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode")
    visit.state.transient = ["oneTimePassword": "123456", "oneTimePasswordTimestamp": .integer(number)]
    #expect(try await visit.answer(["": "123456"]) == .outcome("false"))
    visit.state.transient["oneTimePasswordTries"] = .integer(number)
    #expect(try await visit.answer(["": "x"]) == .outcome("false"))
  }

  /// A code that was made and sent.
  private func sent(in world: inout World, _ recorder: MailRecorder) async throws -> (
    code: String, state: JourneyState
  ) {
    try await world.set([:], mail: ["mira@example.com"])
    var make = try world.visit(
      "OneTimePasswordGeneratorNode", ["length": 8], state: JourneyState(username: "mira"))
    #expect(try await make.evaluate() == .outcome("outcome"))
    var send = try world.visit(
      "OneTimePasswordSmtpSenderNode",
      [
        "hostName": "mail.example.com", "fromEmailAddress": "codes@example.com",
        "emailContent": ["en": "Code: {{OTP}}"],
      ],
      state: make.state)
    #expect(try await send.evaluate() == .outcome("outcome"))
    let text = try #require(recorder.messages.last?.text)
    return (String(text.dropFirst("Code: ".count)), send.state)
  }

  @Test func `a code is mailed, and right once`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    let (code, state) = try await sent(in: &world, mail)
    #expect(
      code.count == 8 && code.allSatisfy(\.isNumber) && mail.messages[0].recipient.text == "mira@example.com")
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: state)
    #expect(try await visit.ask()[0].type == "PasswordCallback")
    #expect(try await visit.answer(["": .string(code)]) == .outcome("true"))
    #expect(visit.state.factors == ["one-time-code"] && visit.state.transient["oneTimePassword"] == nil)
    #expect(try await visit.answer(["": .string(code)]) == .outcome("false"))
  }

  @Test func `a code that was mailed to one account proves no other`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    let (code, state) = try await sent(in: &world, mail)
    var other = try world.visit("OneTimePasswordCollectorDecisionNode", state: state)
    other.state.username = "rosa"
    #expect(try await other.answer(["": .string(code)]) == .outcome("false"))
    #expect(other.state.authenticatedAt == nil && other.state.factors.isEmpty)
    // Sent on to another account, it is a new one.
    try await world.set([:], mail: ["rosa@example.com"], of: "rosa")
    var send = try world.visit(
      "OneTimePasswordSmtpSenderNode", ["emailContent": ["en": "Code: {{OTP}}"]], state: state)
    send.state.username = "rosa"
    _ = try await send.evaluate()
    let second = String(try #require(mail.messages.last?.text).dropFirst("Code: ".count))
    #expect(second != code && second.count == 8 && mail.messages.last?.recipient.text == "rosa@example.com")
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: send.state)
    #expect(try await visit.answer(["": .string(second)]) == .outcome("true"))
    #expect(visit.state.factors == ["one-time-code"])
  }

  @Test func `a code proves no account that has got the name since it was mailed`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    let (code, state) = try await sent(in: &world, mail)
    _ = try await world.store.deleteUser(UniversalID(username: "mira", realm: "alpha"))
    try await world.store.createUser(UserRecord(realm: "alpha", username: "mira", createdAt: world.now))
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: state)
    #expect(try await visit.answer(["": .string(code)]) == .outcome("false"))
    #expect(visit.state.authenticatedAt == nil)
  }

  @Test func `a code that was mailed to an earlier address of the account is not right`() async throws {
    var world = try await World()
    let mail = try world.recordMail()
    let (code, state) = try await sent(in: &world, mail)
    try await world.set([:], mail: ["new@example.com"])
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: state)
    #expect(try await visit.answer(["": .string(code)]) == .outcome("false"))
    #expect(visit.state.authenticatedAt == nil)
    try await world.set([:], mail: ["Mira@example.com"])
    #expect(try await visit.answer(["": .string(code)]) == .outcome("true"))
  }

  /// The code is made before or after the journey names the account, and a script sends it.
  @Test(arguments: [true, false])
  func `a code that a script has sent proves no account that the journey turns to afterwards`(
    isNamedFirst: Bool
  ) async throws {
    let world = try await World()
    var make = try world.visit(
      "OneTimePasswordGeneratorNode", state: isNamedFirst ? JourneyState(username: "mira") : JourneyState())
    _ = try await make.evaluate()
    let code = try #require(make.state.transient["oneTimePassword"])
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: make.state)
    visit.state.username = "mira"
    if !isNamedFirst { _ = try await visit.ask() }
    visit.state.username = "rosa"
    #expect(try await visit.answer(["": code]) == .outcome("false"))
    visit.state.username = "mira"
    #expect(try await visit.answer(["": code]) == .outcome("true"))
  }

  @Test func `a code may be made before the journey names or makes the account`() async throws {
    let world = try await World()
    for name in ["mira", "newcomer"] {
      var make = try world.visit("OneTimePasswordGeneratorNode")
      if name == "newcomer" { make.state.username = name }
      _ = try await make.evaluate()
      var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: make.state)
      visit.state.username = name
      if name == "newcomer" {
        _ = try await visit.ask()
        try await world.store.createUser(UserRecord(realm: "alpha", username: name, createdAt: world.now))
      }
      #expect(
        try await visit.answer(["": try #require(make.state.transient["oneTimePassword"])])
          == .outcome("true"))
    }
  }

  @Test func `a code for an account takes as much room in the state as one for a name that nobody has`()
    async throws
  {
    var world = try await World()
    _ = try world.recordMail()
    try await world.set([:], mail: ["mira@example.com"])
    var sizes: Set<Int> = []
    for name in ["mira", "mora"] {
      var state = JourneyState(username: name)
      for type in ["OneTimePasswordGeneratorNode", "OneTimePasswordSmtpSenderNode"] {
        var visit = try world.visit(type, state: state)
        _ = try await visit.evaluate()
        state = visit.state
      }
      sizes.insert(state.secure.serialized.count)
    }
    #expect(sizes.count == 1)
  }

  @Test func `five wrong codes in journeys of their own lock guesses, whatever was right in between`()
    async throws
  {
    var world = try await World()
    let mail = try world.recordMail()
    for number in 1...5 {
      let (code, state) = try await sent(in: &world, mail)
      var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: state)
      #expect(try await visit.answer(["": "x"]) == .outcome("false"))
      for right: LockoutScope.Kind in [.passwords, .pushAnswers, .authenticatorCodes] where number < 5 {
        #expect(
          try await world.services.lock(
            LockoutScope(right), of: UniversalID(username: "mira", realm: "alpha")
          ).settle(isRight: true))
      }
      guard number == 5 else { continue }
      #expect(try await visit.answer(["": .string(code)]) == .outcome("false"))
      world.advance(61)
      #expect(try await visit.answer(["": .string(code)]) == .outcome("true"))
    }
    #expect(try await world.lockout(LockoutScope(.mailedCodes)) == LockoutState())
  }

  @Test func `wrong codes count for an account that the journey has found and not named`() async throws {
    let world = try await World()
    var make = try world.visit("OneTimePasswordGeneratorNode")
    make.state.shared["objectAttributes"] = ["userName": "mira"]
    #expect(try await make.evaluate() == .outcome("outcome"))
    var visit = try world.visit("OneTimePasswordCollectorDecisionNode", state: make.state)
    #expect(try await visit.answer(["": "x"]) == .outcome("false"))
    #expect(try await world.lockout(LockoutScope(.mailedCodes)).consecutiveFailures == 1)
  }

  @Test func `a late code is refused and not counted, and wrong ones lock the account for guesses`()
    async throws
  {
    var world = try await World()
    let mail = try world.recordMail()
    let (code, state) = try await sent(in: &world, mail)
    var visit = try world.visit(
      "OneTimePasswordCollectorDecisionNode", ["passwordExpiryTime": 1], state: state)
    world.advance(61)
    #expect(try await visit.answer(["": .string(code)]) == .outcome("false"))
    #expect(try await world.lockout(LockoutScope(.mailedCodes)) == LockoutState())
    world.advance(-61)
    for _ in 0..<5 { #expect(try await visit.answer(["": "x"]) == .outcome("false")) }
    #expect(try await world.lockout().isLocked(at: world.now))
    #expect(try await visit.answer(["": .string(code)]) == .outcome("false"))
  }
}
