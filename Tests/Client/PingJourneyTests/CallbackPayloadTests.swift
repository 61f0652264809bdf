import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import Testing

/// One callback as received, what the app does with it, and what is posted.
struct Example: Sendable, CustomTestStringConvertible {
  let name: String
  let received: String
  /// Answers the callback, after checking what was read.
  let act: @Sendable (any Callback) throws -> Void
  /// The `value` of each input that is posted, as JSON; `nil` when nothing is posted.
  let inputs: String?

  var testDescription: String { name }

  init(
    _ name: String, _ received: String, posts inputs: String?,
    _ act: @escaping @Sendable (any Callback) throws -> Void = { _ in }
  ) {
    self.name = name
    self.received = received
    self.inputs = inputs
    self.act = act
  }
}

private func output(_ type: String, _ output: String, _ input: String = #"{"name":"IDToken1","value":""}"#)
  -> String
{
  #"{"type":"\#(type)","output":[\#(output)],"input":[\#(input)],"_id":3,"unknownKey":{"a":[1,true,null]}}"#
}

private func o(_ name: String, _ value: String) -> String { #"{"name":"\#(name)","value":\#(value)}"# }

private let prompt = o("prompt", #""P""#)

private let validated = #"{"name":"IDToken1","value":""},{"name":"IDToken1validateOnly","value":false}"#

private func cast<C: Callback>(_ callback: any Callback, _ type: C.Type = C.self) throws -> C {
  try #require(callback as? C)
}

private let examples: [Example] = [
  Example("name", output("NameCallback", prompt), posts: #"["ada"]"#) {
    let callback = try cast($0, NameCallback.self)
    #expect(callback.prompt == "P")
    callback.name = "ada"
  },
  Example("password", output("PasswordCallback", prompt), posts: #"["Tr0ub4dor"]"#) {
    let callback = try cast($0, PasswordCallback.self)
    #expect(callback.prompt == "P")
    callback.password = "Tr0ub4dor"
  },
  Example("text", output("TextInputCallback", prompt + "," + o("defaultText", #""d""#)), posts: #"["d"]"#) {
    let callback = try cast($0, TextInputCallback.self)
    #expect(callback.defaultText == "d")
    #expect(callback.text == "d")
  },
  Example("text, changed", output("TextInputCallback", o("defaultText", #""d""#)), posts: #"["t"]"#) {
    try cast($0, TextInputCallback.self).text = "t"
  },
  Example(
    "choice, as preset",
    output("ChoiceCallback", prompt + "," + o("choices", #"["a","b"]"#) + "," + o("defaultChoice", "1")),
    posts: "[1]"
  ) {
    let callback = try cast($0, ChoiceCallback.self)
    #expect(callback.choices == ["a", "b"])
    #expect(callback.defaultChoice == 1)
    #expect(callback.selectedIndex == 1)
  },
  Example("choice, chosen", output("ChoiceCallback", o("defaultChoice", "1")), posts: "[0]") {
    try cast($0, ChoiceCallback.self).selectedIndex = 0
  },
  Example(
    "choice, preset as text: not read", output("ChoiceCallback", o("defaultChoice", #""1""#)), posts: "[0]"),
  Example(
    "confirmation, not chosen: the sentinel stays",
    output(
      "ConfirmationCallback",
      [
        o("prompt", #""""#), o("messageType", "0"), o("options", #"["Exit"]"#), o("optionType", "-1"),
        o("defaultOption", "0"),
      ].joined(separator: ","), #"{"name":"IDToken2","value":100}"#), posts: "[100]"
  ) {
    let callback = try cast($0, ConfirmationCallback.self)
    #expect(callback.options == ["Exit"])
    #expect(callback.optionType == .unspecified)
    #expect(callback.messageType == .information)
    #expect(callback.defaultOption == .yesNo)
    #expect(callback.defaultOptionIndex == 0)
    #expect(callback.selectedIndex == nil)
  },
  Example(
    "confirmation, chosen",
    output("ConfirmationCallback", o("options", #"["Exit"]"#), #"{"name":"IDToken2","value":100}"#),
    posts: "[0]"
  ) { try cast($0, ConfirmationCallback.self).selectedIndex = 0 },
  Example(
    "confirmation, default beyond the option types",
    output(
      "ConfirmationCallback",
      o("defaultOption", "7") + "," + o("optionType", "2") + "," + o("messageType", "1")),
    posts: #"[""]"#
  ) {
    let callback = try cast($0, ConfirmationCallback.self)
    #expect(callback.defaultOptionIndex == 7)
    #expect(callback.defaultOption == .unspecified)
    #expect(callback.optionType == .okCancel)
    #expect(callback.messageType == .warning)
  },
  Example(
    "boolean attribute, untouched: no answer",
    output(
      "BooleanAttributeInputCallback", prompt + "," + o("name", #""n""#) + "," + o("required", "true"),
      validated),
    posts: #"["",false]"#
  ) {
    let callback = try cast($0, BooleanAttributeInputCallback.self)
    #expect(callback.name == "n")
    #expect(callback.required)
    #expect(callback.value == false)
  },
  Example(
    "boolean attribute, preset as a number: not read",
    output("BooleanAttributeInputCallback", o("value", "1"), validated), posts: #"["",false]"#
  ) {
    let callback = try cast($0, BooleanAttributeInputCallback.self)
    #expect(!callback.value)
  },
  Example(
    "boolean attribute, set; validateOnly",
    output("BooleanAttributeInputCallback", o("value", "true"), validated), posts: "[false,true]"
  ) {
    let callback = try cast($0, BooleanAttributeInputCallback.self)
    callback.value = false
    callback.validateOnly = true
  },
  Example(
    "number attribute, untouched: no answer",
    output("NumberAttributeInputCallback", o("value", "null"), validated), posts: #"["",false]"#
  ) {
    let callback = try cast($0, NumberAttributeInputCallback.self)
    #expect(callback.value == 0)
  },
  Example(
    "number attribute, preset as text",
    output("NumberAttributeInputCallback", o("value", #""123.45""#), validated),
    posts: "[123.45,false]"),
  Example(
    "number attribute, preset as text that is not a number: not read",
    output("NumberAttributeInputCallback", o("value", #""0x10""#), validated), posts: #"["",false]"#),
  Example(
    "number attribute, preset with 300 digits: no number of an Int, and no end of the program",
    output("NumberAttributeInputCallback", o("value", String(repeating: "9", count: 300)), validated),
    posts: "[1,false]"
  ) {
    let callback = try cast($0, NumberAttributeInputCallback.self)
    #expect(callback.value == 1e300)
    callback.value = 1
  },
  Example(
    "number attribute, preset as a fraction",
    output("NumberAttributeInputCallback", o("value", "2.5"), validated), posts: "[2.5,false]"),
  Example(
    "number attribute, set to nought", output("NumberAttributeInputCallback", o("value", "7"), validated),
    posts: "[0,false]"
  ) {
    let callback = try cast($0, NumberAttributeInputCallback.self)
    #expect(callback.value == 7)
    callback.value = 0
  },
  Example(
    "string attribute", output("StringAttributeInputCallback", o("value", #""v""#), validated),
    posts: #"["w",false]"#
  ) {
    let callback = try cast($0, StringAttributeInputCallback.self)
    #expect(callback.value == "v")
    callback.value = "w"
  },
  Example(
    "attribute, inputs the other way round: names tell them apart",
    output(
      "StringAttributeInputCallback", o("value", #""v""#) + "," + o("validateOnly", "true"),
      #"{"name":"IDToken1validateOnly","value":false},{"name":"IDToken1","value":""}"#), posts: #"[true,"v"]"#
  ),
  Example(
    "new user name",
    output(
      "ValidatedCreateUsernameCallback",
      [prompt, o("name", #""x""#), o("value", #""y""#)].joined(separator: ","),
      validated), posts: #"["ada",false]"#
  ) { try cast($0, ValidatedUsernameCallback.self).username = "ada" },
  Example(
    "new password", output("ValidatedCreatePasswordCallback", prompt + "," + o("echoOn", "true"), validated),
    posts: #"["secret",true]"#
  ) {
    let callback = try cast($0, ValidatedPasswordCallback.self)
    #expect(callback.echoOn)
    #expect(callback.prompt == "P")
    callback.password = "secret"
    callback.validateOnly = true
  },
  Example(
    "security question",
    output(
      "KbaCreateCallback",
      [
        o("prompt", #""Choose""#), o("predefinedQuestions", #"["First pet?","Birth town?"]"#),
        o("allowUserDefinedQuestions", "true"),
      ].joined(separator: ","),
      #"{"name":"IDToken1question","value":""},{"name":"IDToken1answer","value":""}"#),
    posts: #"["First pet?","Rex"]"#
  ) {
    let callback = try cast($0, KbaCreateCallback.self)
    #expect(callback.prompt == "Choose")
    #expect(callback.predefinedQuestions == ["First pet?", "Birth town?"])
    #expect(callback.allowUserDefinedQuestions)
    callback.selectedQuestion = callback.predefinedQuestions[0]
    callback.selectedAnswer = "Rex"
  },
  Example(
    "terms",
    output(
      "TermsAndConditionsCallback",
      [o("version", #""2.1""#), o("terms", #""Long""#), o("createDate", #""2026-01-09T08:00:00.000Z""#)]
        .joined(
          separator: ","), #"{"name":"IDToken1","value":false}"#), posts: "[true]"
  ) {
    let callback = try cast($0, TermsAndConditionsCallback.self)
    #expect(
      [callback.version, callback.terms, callback.createDate] == ["2.1", "Long", "2026-01-09T08:00:00.000Z"])
    #expect(callback.accepted == false)
    callback.accepted = true
  },
  Example(
    "consent",
    output(
      "ConsentMappingCallback",
      [
        o("name", #""user_crm""#), o("displayName", #""CRM""#), o("icon", #""""#),
        o("accessLevel", #""Actual Profile""#), o("isRequired", "true"), o("message", #""Share?""#),
        o("fields", #"["mail","sn"]"#),
      ].joined(separator: ","), #"{"name":"IDToken1","value":false}"#), posts: "[false]"
  ) {
    let callback = try cast($0, ConsentMappingCallback.self)
    #expect([callback.name, callback.displayName, callback.icon] == ["user_crm", "CRM", ""])
    #expect([callback.accessLevel, callback.message] == ["Actual Profile", "Share?"])
    #expect(callback.isRequired)
    #expect(callback.fields == ["mail", "sn"])
  },
  Example(
    "hidden value",
    output(
      "HiddenValueCallback", o("value", #""false""#) + "," + o("id", #""webAuthnOutcome""#),
      #"{"name":"IDToken2","value":"webAuthnOutcome"}"#), posts: #"["outcome"]"#
  ) {
    let callback = try cast($0, HiddenValueCallback.self)
    #expect(callback.valueId == "webAuthnOutcome")
    #expect(callback.value == "false")
    (callback as any ValueCallbackProtocol).setValue("outcome")
  },
  Example(
    "polling, time as text",
    #"{"type":"PollingWaitCallback","output":[\#(o("waitTime", #""5000""#)),\#(o("message", #""Wait""#))]}"#,
    posts: "[]"
  ) {
    let callback = try cast($0, PollingWaitCallback.self)
    #expect(callback.waitTime == 5000)
    #expect(callback.message == "Wait")
  },
  Example(
    "polling, time as number", #"{"type":"PollingWaitCallback","output":[\#(o("waitTime", "8000"))]}"#,
    posts: "[]"
  ) {
    let callback = try cast($0, PollingWaitCallback.self)
    #expect(callback.waitTime == 8000)
  },
  Example(
    "message, type as text",
    #"{"type":"TextOutputCallback","output":[\#(o("message", #""M""#)),\#(o("messageType", #""2""#))]}"#,
    posts: "[]"
  ) {
    let callback = try cast($0, TextOutputCallback.self)
    #expect(callback.message == "M")
    #expect(callback.messageType == .error)
  },
  Example(
    "message, type as number", #"{"type":"TextOutputCallback","output":[\#(o("messageType", "0"))]}"#,
    posts: "[]"
  ) {
    let callback = try cast($0, TextOutputCallback.self)
    #expect(callback.messageType == .information)
  },
  Example(
    "message, script: left out", #"{"type":"TextOutputCallback","output":[\#(o("messageType", #""4""#))]}"#,
    posts: nil
  ) {
    let callback = try cast($0, TextOutputCallback.self)
    #expect(callback.messageType == .script)
  },
  Example(
    "message, unknown type: left out", #"{"type":"TextOutputCallback","output":[\#(o("messageType", "3"))]}"#,
    posts: nil
  ) {
    let callback = try cast($0, TextOutputCallback.self)
    #expect(callback.messageType == .unknown)
  },
  Example(
    "suspended", #"{"type":"SuspendedTextOutputCallback","output":[\#(o("messageType", #""0""#))]}"#,
    posts: "[]"
  ) { _ = try cast($0, SuspendedTextOutputCallback.self) },
  Example(
    "unknown type: posted as received",
    #"{"type":"FutureCallback","output":[],"input":[{"name":"IDToken1x","value":{"deep":[1,2.5,true,null]}}],"_id":9}"#,
    posts: #"[{"deep":[1,2.5,true,null]}]"#
  ) {
    let callback = try cast($0, UnknownCallback.self)
    #expect(callback.type == "FutureCallback")
  },
]

@Suite("What each callback reads and posts")
struct CallbackPayloadTests {
  @Test(
    arguments: [
      ("PollingWaitCallback", "waitTime"), ("ChoiceCallback", "defaultChoice"),
      ("ConfirmationCallback", "defaultOption"), ("ConfirmationCallback", "optionType"),
      ("ConfirmationCallback", "messageType"), ("TextOutputCallback", "messageType"),
      ("NumberAttributeInputCallback", "value"), ("BooleanAttributeInputCallback", "value"),
      ("StringAttributeInputCallback", "value"), ("HiddenValueCallback", "value"),
      ("TermsAndConditionsCallback", "version"), ("FutureCallback", "value"),
    ], [String(repeating: "9", count: 300), "-1e400", "\"\(String(repeating: "9", count: 300))\"", "1e-400"])
  func `a number beyond every type ends neither the program nor the journey`(
    callback: (type: String, member: String), number: String
  ) async throws {
    let body = output(callback.type, o(callback.member, number))
    let server = FakeServer(200, #"{"authId":"a","callbacks":[\#(body)]}"#)
    let node = await makeJourney(server).start("Login")
    // An answer that is not JSON to Foundation is a failure that says so.
    guard let step = node as? ContinueNode else {
      #expect(node is FailureNode)
      return
    }
    #expect(step.callbacks.count == 1)
    _ = await step.next()
  }

  @Test(arguments: examples)
  func `payload`(_ example: Example) async throws {
    let server = FakeServer(200, #"{"authId":"a","callbacks":[\#(example.received)]}"#)
    let step = try #require(await makeJourney(server).start("Login") as? ContinueNode)
    #expect(step.callbacks.count == 1)
    try example.act(try #require(step.callbacks.first))
    _ = await step.next()

    let posted = try #require(server.requests.last).postedCallbacks()
    guard let inputs = example.inputs else {
      #expect(posted.isEmpty)
      return
    }
    var callback = try #require(posted.first)
    let values = (callback["input"] as? [[String: Any]] ?? []).map { $0["value"] ?? NSNull() }
    #expect(try text(["v": values]) == text(object(#"{"v":\#(inputs)}"#)))

    // Everything but the values is posted as it was received.
    var received = try object(example.received)
    let names = (received["input"] as? [[String: Any]] ?? []).map { $0["name"] as? String }
    #expect((callback["input"] as? [[String: Any]] ?? []).map { $0["name"] as? String } == names)
    received["input"] = nil
    callback["input"] = nil
    #expect(try text(callback) == text(received))
  }

  @Test func `a wrong type leaves a property at its default; unknown outputs and nulls are ignored`()
    async throws
  {
    let server = FakeServer(
      200,
      #"""
      {"authId":"a","callbacks":[{"type":"ChoiceCallback","output":[{"name":"choices","value":"no list"},
      {"name":"defaultChoice","value":true},{"name":"prompt","value":null},{"name":"what","value":1},{"value":2},3],"input":[]}]}
      """#)
    let step = try #require(await makeJourney(server).start("Login") as? ContinueNode)
    let choice = try #require(step.callbacks.first as? ChoiceCallback)
    #expect(choice.choices.isEmpty)
    #expect(choice.selectedIndex == 0)
    #expect(choice.prompt == "")
  }
}
