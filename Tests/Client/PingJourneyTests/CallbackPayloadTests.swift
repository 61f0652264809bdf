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
    "number attribute, preset as text: not read",
    output("NumberAttributeInputCallback", o("value", #""2.5""#), validated),
    posts: #"["",false]"#),
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
  @Test("Payload", arguments: examples)
  func payload(_ example: Example) async throws {
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

  @Test("A wrong type leaves a property at its default; unknown outputs and nulls are ignored")
  func wrongTypes() async throws {
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

@Suite("Output values of another JSON type than expected")
struct OutputTypeTests {
  @Test("A number was read as text", arguments: [123, 1.5, true, ["a"], ["k": 1]] as [any Sendable])
  func texts(value: any Sendable) {
    let name = NameCallback()
    name.initValue(name: "prompt", value: value)
    let text = TextInputCallback()
    text.initValue(name: "defaultText", value: value)
    let hidden = HiddenValueCallback()
    hidden.initValue(name: "id", value: value)
    let consent = ConsentMappingCallback()
    consent.initValue(name: "message", value: value)
    let terms = TermsAndConditionsCallback()
    terms.initValue(name: "version", value: value)
    let attribute = StringAttributeInputCallback()
    attribute.initValue(name: "value", value: value)
    #expect(
      [name.prompt, text.text, hidden.valueId, consent.message, terms.version] == ["", "", "", "", ""])
    #expect(attribute.value == "")
  }

  @Test("Text was read as a number or as a flag", arguments: ["1", "true", 1] as [any Sendable])
  func flags(value: any Sendable) {
    let attribute = BooleanAttributeInputCallback()
    attribute.initValue(name: "value", value: value)
    attribute.initValue(name: "required", value: value)
    attribute.initValue(name: "validateOnly", value: value)
    let password = ValidatedPasswordCallback()
    password.initValue(name: "echoOn", value: value)
    let question = KbaCreateCallback()
    question.initValue(name: "allowUserDefinedQuestions", value: value)
    let consent = ConsentMappingCallback()
    consent.initValue(name: "isRequired", value: value)
    #expect(!attribute.value && !attribute.required && !attribute.validateOnly)
    #expect(!password.echoOn && !question.allowUserDefinedQuestions && !consent.isRequired)
  }

  @Test("Text and flags were read as whole numbers", arguments: ["1", true, 1.5] as [any Sendable])
  func numbers(value: any Sendable) {
    let choice = ChoiceCallback()
    choice.initValue(name: "defaultChoice", value: value)
    #expect(choice.defaultChoice == 0 && choice.selectedIndex == 0)
    let confirmation = ConfirmationCallback()
    confirmation.initValue(name: "optionType", value: value)
    confirmation.initValue(name: "messageType", value: value)
    #expect(confirmation.optionType == .unknown && confirmation.messageType == .unknown)
  }

  @Test("A list with something else than texts was read in part")
  func lists() {
    let choice = ChoiceCallback()
    choice.initValue(name: "choices", value: ["a", 1] as [Any])
    #expect(choice.choices.isEmpty)
    choice.initValue(name: "choices", value: ["a", "b"])
    #expect(choice.choices == ["a", "b"])
  }

  @Test(
    "A number attribute takes whole numbers and fractions, no text", arguments: [7, 7.0] as [any Sendable])
  func numberAttribute(value: any Sendable) {
    let attribute = NumberAttributeInputCallback()
    attribute.initValue(name: "value", value: "7")
    #expect(attribute.value == 0)
    attribute.initValue(name: "value", value: value)
    #expect(attribute.value == 7)
  }
}

@Suite("Callbacks of apps and modules")
struct AbstractCallbackTests {
  private final class Plain: AbstractCallback, @unchecked Sendable {}

  private func plain(_ json: String) throws -> Plain {
    let callback = Plain()
    _ = callback.initialize(with: try object(json)) as any Callback
    return callback
  }

  @Test("The id stays the same, and differs from other callbacks' ids")
  func id() {
    let callback = Plain()
    #expect(callback.id == callback.id)
    #expect(callback.id != Plain().id)
  }

  @Test("input fills the first inputs and leaves the others as received")
  func positional() throws {
    let callback = try plain(#"{"input":[{"name":"a","value":1},{"name":"b","value":2},{"value":3}]}"#)
    let expected = #"{"input":[{"name":"a","value":"x"},{"name":"b","value":2},{"name":"","value":3}]}"#
    #expect(try text(callback.input("x")) == expected)
    #expect(try text(callback.payload()) == expected)
  }

  @Test("input takes every JSON value, and leaves the input as received for others")
  func values() throws {
    let callback = try plain(
      #"{"input":[{"name":"a","value":0},{"name":"b","value":0},{"name":"c","value":0}]}"#)
    #expect(
      try text(callback.input(["k": [true, 1.5]], Date(), "z"))
        == #"{"input":[{"name":"a","value":{"k":[true,1.5]}},{"name":"b","value":0},{"name":"c","value":"z"}]}"#
    )
  }

  @Test("input by name changes that entry only; an unknown name changes nothing")
  func named() throws {
    let callback = try plain(
      #"{"input":[{"name":"IDToken1jws","value":""},{"name":"IDToken1clientError","value":""}]}"#)
    _ = callback.input("Abort", forKey: "IDToken1clientError")
    _ = callback.input("x", forKey: "nothing")
    #expect(
      try text(callback.payload())
        == #"{"input":[{"name":"IDToken1jws","value":""},{"name":"IDToken1clientError","value":"Abort"}]}"#)
  }

  @Test("Without inputs the callback stays as received")
  func noInput() throws {
    #expect(try text(plain(#"{"type":"x"}"#).input("y")) == #"{"type":"x"}"#)
  }

  @Test("A callback may be answered from several tasks at once")
  func concurrent() async throws {
    let callback = NameCallback()
    callback.json = try object(#"{"input":[{"name":"a","value":""}]}"#)
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<200 {
        group.addTask {
          callback.name = "\(number)"
          #expect(callback.payload()["input"] != nil)
        }
      }
    }
  }

  @Test("A type that implements only the synchronous initialize is read by the asynchronous one")
  func synchronousOnly() async {
    final class Reader: Callback {
      let id = "reader"
      func initialize(with json: [String: Any]) -> any Callback { Other() }
      func payload() -> [String: Any] { [:] }
    }
    final class Other: Callback {
      let id = "other"
      func payload() -> [String: Any] { [:] }
    }
    let callback = await Reader().initialize(with: [:])
    #expect(callback is Other)
    // Implementing neither ends too.
    let same = await Other().initialize(with: [:])
    #expect(same is Other)
  }

  @Test("A type that implements only the asynchronous initialize is read by it")
  func asynchronousOnly() async {
    final class Reader: Callback {
      let id = "reader"
      func initialize(with json: [String: Any]) async -> any Callback { NameCallback() }
      func payload() -> [String: Any] { [:] }
    }
    #expect(await Reader().initialize(with: [:]) is NameCallback)
    func synchronously() -> any Callback { Reader().initialize(with: [:]) }
    #expect(synchronously() is Reader)
  }
}

@Suite("Policies")
struct PolicyTests {
  private func password(_ outputs: String) async throws -> ValidatedPasswordCallback {
    let body =
      #"{"authId":"a","callbacks":[{"type":"ValidatedCreatePasswordCallback","output":[\#(outputs)]}]}"#
    let step = try #require(await makeJourney(FakeServer(200, body)).start("Login") as? ContinueNode)
    return try #require(step.callbacks.first as? ValidatedPasswordCallback)
  }

  @Test("Policies are an object; a list, as old servers send it, is kept")
  func policies() async throws {
    #expect(
      try await password(o("policies", #"{"policyRequirements":["MIN_LENGTH"]}"#)).policies[
        "policyRequirements"]
        as? [String] == ["MIN_LENGTH"])
    #expect(
      try await password(o("policies", #"["not-empty"]"#)).policies["policyRequirements"] as? [String] == [
        "not-empty"
      ])
    #expect(try await password(o("policies", "{}")).policies.isEmpty)
  }

  @Test(
    "Failed policies are JSON text, objects, or text that is not lost",
    arguments: [
      (
        #"["{ \"policyRequirement\": \"MIN_LENGTH\", \"params\": { \"minLength\": 12 } }"]"#, "MIN_LENGTH",
        12 as Int?
      ),
      (#"[{"policyRequirement":"MIN_LENGTH","params":{"minLength":12}}]"#, "MIN_LENGTH", 12),
      (#"["{\"policyRequirement\":\"UNIQUE\"}"]"#, "UNIQUE", nil), (#"["too short"]"#, "too short", nil),
      (#""too short""#, "too short", nil),
    ])
  func failed(value: String, requirement: String, minimum: Int?) async throws {
    let failed = try await password(o("failedPolicies", value)).failedPolicies
    #expect(failed.map(\.policyRequirement) == [requirement])
    #expect(failed.first?.params?["minLength"] as? Int == minimum)
  }

  @Test("Entries without a requirement are not failures", arguments: ["[]", #"[{}, "", 7]"#])
  func none(value: String) async throws {
    #expect(try await password(o("failedPolicies", value)).failedPolicies.isEmpty)
  }

  @Test(
    "Descriptions",
    arguments: [
      ("REQUIRED", "{}", "Password is required"), ("UNIQUE", "{}", "Password must be unique"),
      ("MATCH_REGEXP", "{}", ""), ("VALID_TYPE", "{}", ""), ("VALID_QUERY_FILTER", "{}", ""),
      ("VALID_ARRAY_ITEMS", "{}", ""), ("MINIMUM_NUMBER_VALUE", "{}", ""), ("MAXIMUM_NUMBER_VALUE", "{}", ""),
      ("VALID_DATE", "{}", "Password must be a valid date"),
      ("VALID_EMAIL_ADDRESS_FORMAT", "{}", "Password must be a valid e-mail address"),
      ("VALID_NAME_FORMAT", "{}", "Password must be a valid name"),
      ("VALID_PHONE_FORMAT", "{}", "Password must be a valid phone number"),
      ("VALID_NUMBER", "{}", "Password must be a valid number"),
      ("VALID_USERNAME", "{}", "Password must be a valid user name"),
      ("AT_LEAST_X_CAPITAL_LETTERS", #"{"numCaps":2}"#, "Password must have at least 2 capital letter(s)"),
      ("AT_LEAST_X_NUMBERS", #"{"numNums":1}"#, "Password must have at least 1 digit(s)"),
      ("MIN_LENGTH", #"{"minLength":"12"}"#, "Password must have at least 12 character(s)"),
      ("MAX_LENGTH", #"{"maxLength":20}"#, "Password must have at most 20 character(s)"),
      (
        "CANNOT_CONTAIN_OTHERS", #"{"disallowedFields":["sn","mail"]}"#, "Password must not contain: sn, mail"
      ),
      (
        "CANNOT_CONTAIN_CHARACTERS", #"{"forbiddenChars":["/"]}"#,
        "Password must not contain these characters: /"
      ),
      ("CANNOT_CONTAIN_DUPLICATES", #"{"duplicateValue":"aa"}"#, "Password must not contain duplicates: aa"),
      ("NEW_RULE", "{}", "Password does not meet the requirement NEW_RULE"),
    ])
  func descriptions(requirement: String, params: String, expected: String) throws {
    let policy = FailedPolicy(policyRequirement: requirement, params: try object(params))
    #expect(policy.failedDescription(for: "Password") == expected)
  }
}
