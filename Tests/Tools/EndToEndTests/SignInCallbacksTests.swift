import CommonFixtures
import Concurrency
import Foundation
import JourneyEngine
import SealringTesting
import StrictJSON
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import ServerHTTP

/// Every callback that journeys can have, in a real browser: what it shows, what it sends, and that nothing of it becomes markup.
@Suite(.timeLimit(.minutes(10))) struct SignInCallbacksTests {
  /// Sends one page of callbacks after the other, and keeps what comes back.
  private struct GalleryNode: JourneyNode {
    let outcomes = ["outcome"]
    let pages: [[OutgoingCallback]]
    let replies: Locked<[CallbackReply]>

    func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
      let number = context.state.shared["page"]?.integerValue ?? 0
      if let reply = context.reply { replies.withLock { $0.append(reply) } }
      guard number < pages.count else { return .outcome("outcome") }
      context.state.shared["page"] = .integer(number + 1)
      return .callbacks(pages[Int(number)])
    }
  }

  private static let journey = """
    {"nodes": {"a": {"_id": "a", "_type": {"_id": "GalleryNode"}}},
     "tree": {"_id": "Gallery", "entryNodeId": "a", "nodes": {
       "a": {"nodeType": "GalleryNode", "displayName": "Gallery",
         "connections": {"outcome": "e301438c-0bd0-429c-ab0c-66126501069a"}}}}}
    """

  private static func callback(
    _ type: String, _ outputs: KeyValuePairs<String, JSONValue>,
    inputs: [OutgoingCallback.Field] = [.init("", "")]
  ) -> OutgoingCallback {
    OutgoingCallback(type: type, outputs: outputs.map { .init($0.key, $0.value) }, inputs: inputs)
  }

  private static let markup =
    #"<b>bold</b> <img src=x onerror="window.attacked=1"><script>window.attacked=2</script><a href="javascript:attacked=3">j</a>"#
    + #"<a href="https://help.example/">help</a><svg><script>attacked=4</script></svg><iframe src="https://x.example"></iframe>"#

  private static let attributes: [OutgoingCallback] = [
    callback("TextOutputCallback", ["message": .string(markup), "messageType": "0"], inputs: []),
    callback("TextOutputCallback", ["message": "Careful", "messageType": "1"], inputs: []),
    callback("TextOutputCallback", ["message": "window.attacked = 5", "messageType": "4"], inputs: []),
    callback(
      "StringAttributeInputCallback",
      [
        "name": "mail", "prompt": .string("Mail " + markup), "required": true, "value": "mira@",
        "policies": [
          "policies": [
            ["policyId": "minimum-length", "policyRequirements": ["MIN_LENGTH"], "params": ["minLength": 6]]
          ]
        ],
        "failedPolicies": [
          #"{"policyRequirement":"VALID_EMAIL_ADDRESS_FORMAT"}"#, "<img src=x onerror=attacked=6>",
          #"{"policyRequirement":"LENGTH_BASED","params":{"max-password-length":0,"min-password-length":9}}"#,
          #"{"policyRequirement":"LENGTH_BASED","params":{"max-password-length":64,"min-password-length":7}}"#,
        ],
      ], inputs: [.init("", ""), .init("validateOnly", false)]),
    callback(
      "NumberAttributeInputCallback", ["name": "age", "prompt": "Age", "required": true, "value": 41],
      inputs: [.init("", 0), .init("validateOnly", false)]),
    callback(
      "BooleanAttributeInputCallback", ["name": "news", "prompt": "News by mail", "value": true],
      inputs: [.init("", false), .init("validateOnly", false)]),
    callback(
      "ChoiceCallback",
      ["prompt": "Branch", "choices": ["North", .string(markup), "South"], "defaultChoice": 2],
      inputs: [.init("", 0)]),
    callback("TextInputCallback", ["prompt": "Nickname", "defaultText": "Mi"]),
    callback(
      "HiddenValueCallback", ["value": "secret value", "id": "clientScript"],
      inputs: [.init("", "clientScript")]),
    metadata,
  ]

  private static let metadata = callback("MetadataCallback", ["data": ["stage": "Old"]], inputs: [])

  private static let declarations: [OutgoingCallback] = [
    callback(
      "KbaCreateCallback",
      [
        "prompt": "Select a security question", "predefinedQuestions": ["First pet?"],
        "allowUserDefinedQuestions": true,
      ],
      inputs: [.init("question", ""), .init("answer", "")]),
    callback(
      "TermsAndConditionsCallback",
      ["version": "2.1", "terms": .string("Long text\n" + markup), "createDate": "2026-01-09T08:00:00.000Z"],
      inputs: [.init("", false)]),
    callback(
      "ConsentMappingCallback",
      [
        "name": "crm", "displayName": .string("CRM " + markup), "icon": "https://evil.example/a.png",
        "accessLevel": "Actual Profile", "isRequired": true, "message": "Share your data?",
        "fields": ["mail", "<sn>"],
      ], inputs: [.init("", false)]),
  ]

  private static let confirmation: [OutgoingCallback] = [
    callback(
      "ConfirmationCallback",
      ["prompt": "Go on?", "messageType": 0, "options": [], "optionType": 1, "defaultOption": 1],
      inputs: [.init("", 100)])
  ]

  private static let providers: [OutgoingCallback] = [
    callback(
      "SelectIdPCallback",
      [
        "providers": [
          [
            "provider": "harbour",
            "uiConfig": ["buttonDisplayName": "Harbour", "buttonImage": "https://evil.example/x"],
          ],
          ["provider": "localAuthentication"],
        ], "value": "",
      ])
  ]

  private static let unknown: [OutgoingCallback] = [
    callback(
      "ReCaptchaEnterpriseCallback", ["recaptchaSiteKey": "x"],
      inputs: [.init("token", ""), .init("clientError", "")]),
    callback(
      "DeviceBindingCallback", ["userId": "id=mira", "challenge": "x", "authenticationType": "NONE"],
      inputs: [.init("jws", ""), .init("deviceName", ""), .init("deviceId", ""), .init("clientError", "")]),
    callback("DeviceProfileCallback", ["metadata": true, "location": true, "message": ""]),
  ]

  private func run(
    _ pages: [[OutgoingCallback]],
    _ body: @escaping @Sendable (Browser, Locked<[CallbackReply]>) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    try folder.write(Array(Self.journey.utf8), to: "alpha/Gallery.journey.json")
    let replies = Locked<[CallbackReply]>([])
    try await TestServer.run(
      journeys: folder.url,
      configure: { $0.furtherNodes = ["GalleryNode": { _ in GalleryNode(pages: pages, replies: replies) }] }
    ) { server in
      try await Browser.run { browser in
        try await browser.open("Gallery", at: server.address)
        try await body(browser, replies)
      }
    }
  }

  private func check(_ browser: Browser) async throws {
    #expect(try await browser.evaluate("return window.attacked ?? null") == .null)
    #expect(
      try await browser.evaluate(
        "return document.querySelectorAll('main img[src=x], iframe, main script').length") == 0)
    #expect(try await browser.accessibilityViolations() == [])
    // That the parser met an event handler and did not run it, is said by the browser; the page never has it.
    let complaints = try await browser.complaints().filter { !$0.contains("inline event handler") }
    #expect(complaints == [])
  }

  @Test func `attributes are shown with what is wrong with them, and sent as what they are`() async throws {
    // Data alone asks nothing: the page goes on.
    try await run([[Self.metadata], Self.attributes]) { browser, replies in
      try await browser.wait(for: "#IDToken4")
      try await check(browser)
      let said = try await browser.text()
      #expect(
        said.contains("Not a mail address") && said.contains("At least 6 characters")
          && said.contains("At least 9 characters") && !said.contains("At most 0 characters")
          && said.contains("At least 7 characters. At most 64 characters")
          && !said.contains("attacked"))
      #expect(try await browser.evaluate("return document.querySelector('main b').textContent") == "bold")
      #expect(
        try await browser.evaluate("return [...document.querySelectorAll('main a')].map((a) => a.href)")
          == ["https://help.example/"])
      #expect(
        try await browser.evaluate(
          "return [IDToken4.getAttribute('aria-invalid'), IDToken4.getAttribute('aria-describedby')]")
          == ["true", "IDToken4faults IDToken4hints"])
      try await browser.type("example.com", into: "#IDToken4")
      try await browser.click("#IDToken6")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#title[data-end=failure]")
      let reply = try #require(replies.withLock { $0.last })
      #expect(
        reply.text(at: 3) == "mira@example.com" && reply.value(at: 4) == 41 && reply.value(at: 5) == false)
      #expect(reply.value(at: 6) == 2 && reply.text(at: 7) == "Mi" && reply.text(at: 8) == "clientScript")
    }
  }

  @Test func `questions, terms and consents are asked for, and nothing goes without what is required`()
    async throws
  {
    try await run([Self.declarations]) { browser, replies in
      try await browser.wait(for: "#IDToken2")
      try await check(browser)
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#message:not([hidden])")
      let isEmpty = replies.withLock { $0.isEmpty }
      #expect(isEmpty)
      #expect(try await browser.evaluate("return document.activeElement.id") == "IDToken1answer")
      _ = try await browser.evaluate(
        "IDToken1.value = ''; IDToken1.dispatchEvent(new Event('change'))")
      try await browser.type("Whose boat?", into: "#IDToken1own")
      try await browser.type("Ours", into: "#IDToken1answer")
      try await browser.click("#IDToken2")
      try await browser.click("#IDToken3")
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#title[data-end=failure]")
      let reply = try #require(replies.withLock { $0.last })
      #expect(reply.text("question") == "Whose boat?" && reply.text("answer") == "Ours")
      #expect(reply.value(at: 1) == true && reply.value(at: 2) == true)
    }
  }

  @Test func `buttons, providers, and what only an app can do`() async throws {
    try await run([Self.confirmation, Self.providers, Self.unknown]) { browser, replies in
      try await browser.wait(for: ".buttons button:nth-child(3)")
      try await check(browser)
      #expect(try await browser.text(of: ".buttons").contains("Cancel"))
      try await browser.click(".buttons button:nth-child(2)")
      try await browser.wait(for: ".buttons button:nth-child(2):last-child")
      #expect(try await browser.text(of: ".buttons").contains("Sign in with Harbour"))
      try await check(browser)
      try await browser.click(".buttons button:first-child")
      try await browser.wait(for: "pre.codes")
      try await check(browser)
      #expect(try await browser.text().contains("needs an app"))
      #expect(try await browser.text(of: "pre.codes").hasPrefix("sealring bind --server http://localhost:"))
      try await browser.click("button[type=submit]")
      try await browser.wait(for: "#title[data-end=failure]")
      let answers = replies.withLock { $0 }
      #expect(answers[0].value() == 1 && answers[1].text() == "harbour")
      #expect(
        answers[2].text("clientError") == "Unsupported"
          && answers[2].text("clientError", at: 1) == "Unsupported")
      let profile = try JSONValue(parsing: try #require(answers[2].text(at: 2)))
      #expect(profile["metadata"]?["platform"]?["timeZone"] != nil && profile["location"] == nil)
      #expect(profile["identifier"] == nil)
    }
  }
}
