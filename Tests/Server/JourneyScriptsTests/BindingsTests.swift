import Concurrency
import JourneyScripts
import StrictJSON
import Testing

/// What next-generation scripts (evaluator version 2.0) find.
@Suite struct BindingsTests {
  private static let state: JSONObject = [
    "shared": [
      "username": "ada", "objectAttributes": ["mail": "ada@example.com", "sn": "L"], "both": "shared",
    ],
    "transient": ["objectAttributes": ["password": "secret"], "both": "transient"],
  ]

  @Test(arguments: [
    ("nodeState.get('username')", "ada"), ("nodeState.get('both')", "transient"),
    ("String(nodeState.get('nobody'))", "null"), ("nodeState.isDefined('both')", "true"),
    ("nodeState.keys().size()", "3"), ("nodeState.get('objectAttributes').password", "secret"),
    ("nodeState.getObject('objectAttributes').get('mail')", "ada@example.com"),
    ("Object.keys(nodeState.getObject('objectAttributes')).sort().join()", "mail,password,sn"),
    ("realm + scriptName + cookieName", "/Test"), ("resumedFromSuspend", "false"),
    ("typeof existingSession", "undefined"), ("typeof sharedState", "undefined"),
  ]) func `the state is read`(_ expression: String, _ value: String) async throws {
    #expect(try await Scripts().outcome(of: "action.goTo(\(expression))", Self.state) == value)
  }

  @Test func `the state is changed, and only what was put counts`() async throws {
    let output = try await Scripts().run(
      """
      nodeState.get("objectAttributes").mail = "not kept";
      nodeState.putShared("a", [1, { b: true }]).putTransient("t", null);
      nodeState.mergeShared({ objectAttributes: { mail: "new" } });
      nodeState.remove("both");
      action.goTo("x");
      """, Self.state)
    #expect(
      output.decision["shared"] == [
        ["a", [1, ["b": true]]], ["objectAttributes", ["mail": "new", "sn": "L"]],
      ])
    #expect(output.decision["transient"] == [["t", .null]])
    #expect(output.decision["removed"] == ["both"])
  }

  @Test func `an action says what it says`() async throws {
    let output = try await Scripts().run(
      """
      action.goTo("yes").withErrorMessage("e").withLockoutMessage("l").withHeader("h").withDescription("d").withStage("s")
        .putSessionProperty("k", "v").removeSessionProperty("o")
      """)
    let decision = output.decision
    #expect(decision["outcome"] == "yes")
    #expect(decision["errorMessage"] == "e" && decision["lockoutMessage"] == "l")
    #expect(decision["header"] == "h" && decision["description"] == "d" && decision["stage"] == "s")
    #expect(decision["sessionProperties"] == [["k", "v"]])
    #expect(decision["removedSessionProperties"] == ["o"])
  }

  @Test func `a suspension gives the link to the script`() async throws {
    let calls = Calls { _, _ in "https://example.com/am?suspendedId=1" }
    let output = try await Scripts().run(
      "action.suspend('Check your mail', (link) => { logger.info(link) })", calls: calls)
    #expect(output.decision["suspension"] == ["message": "Check your mail"])
    #expect(output.log.first?.text == "https://example.com/am?suspendedId=1")
    #expect(calls.calls.withLock { $0 } == ["resumeLink"])
  }

  @Test(
    arguments: [
      ("nameCallback('User', 'ada')", "NameCallback", ["prompt": "User"], ["": "ada"]),
      ("passwordCallback('Word', false)", "PasswordCallback", ["prompt": "Word"], ["": ""]),
      ("textInputCallback('T', 'd')", "TextInputCallback", ["prompt": "T", "defaultText": "d"], ["": "d"]),
      ("textOutputCallback(1, 'm')", "TextOutputCallback", ["message": "m", "messageType": "1"], [:]),
      ("scriptTextOutputCallback('m')", "TextOutputCallback", ["message": "m", "messageType": "4"], [:]),
      (
        "suspendedTextOutputCallback(0, 'm')", "SuspendedTextOutputCallback",
        ["message": "m", "messageType": "0"], [:]
      ),
      (
        "choiceCallback('C', ['a', 'b'], 1, false)", "ChoiceCallback",
        ["prompt": "C", "choices": ["a", "b"], "defaultChoice": 1], ["": 1]
      ),
      (
        "confirmationCallback(0, ['Yes', 'No'], 1)", "ConfirmationCallback",
        ["prompt": "", "messageType": 0, "options": ["Yes", "No"], "optionType": -1, "defaultOption": 1],
        ["": 1]
      ),
      (
        "confirmationCallback('Sure?', 1, 0, 1)", "ConfirmationCallback",
        ["prompt": "Sure?", "messageType": 1, "options": [], "optionType": 0, "defaultOption": 1], ["": 1]
      ),
      ("hiddenValueCallback('i', 'v')", "HiddenValueCallback", ["value": "v", "id": "i"], ["": "i"]),
      (
        "stringAttributeInputCallback('mail', 'M', 'a@b', true)", "StringAttributeInputCallback",
        [
          "name": "mail", "prompt": "M", "required": true, "policies": [:], "failedPolicies": [],
          "validateOnly": false, "value": "a@b",
        ], ["": "a@b", "validateOnly": false]
      ),
      (
        "validatedPasswordCallback('P', false, {}, false, [{policyRequirement: 'REQUIRED'}])",
        "ValidatedCreatePasswordCallback",
        [
          "prompt": "P", "echoOn": false, "policies": [:],
          "failedPolicies": [#"{"policyRequirement":"REQUIRED"}"#], "validateOnly": false,
        ], ["": "", "validateOnly": false]
      ),
      (
        "kbaCreateCallback('K', ['Pet?'], true)", "KbaCreateCallback",
        ["prompt": "K", "predefinedQuestions": ["Pet?"], "allowUserDefinedQuestions": true],
        ["question": "", "answer": ""]
      ),
      (
        "termsAndConditionsCallback('1', 'T', '2026-01-01')", "TermsAndConditionsCallback",
        ["version": "1", "terms": "T", "createDate": "2026-01-01"], ["": false]
      ),
      (
        "pollingWaitCallback('5000', 'wait')", "PollingWaitCallback",
        ["waitTime": "5000", "message": "wait"],
        [:]
      ),
      ("metadataCallback({a: 1})", "MetadataCallback", ["data": ["a": 1]], [:]),
      (
        "deviceProfileCallback(true, false, 'm')", "DeviceProfileCallback",
        ["metadata": true, "location": false, "message": "m"], ["": ""]
      ),
    ] as [(String, JSONValue, JSONObject, JSONObject)])
  func `a callback is built as PingAM writes it`(
    _ call: String, _ type: JSONValue, _ outputs: JSONObject, _ inputs: JSONObject
  ) async throws {
    let output = try await Scripts().run("callbacksBuilder.\(call)")
    let callback = try #require(output.decision["callbacks"]?[0])
    func members(_ name: String) -> JSONObject {
      JSONObject(
        (callback[name]?.arrayValue ?? []).map { ($0[0]?.stringValue ?? "?", $0[1] ?? .null) })
    }
    #expect(callback["type"] == type)
    #expect(members("outputs") == outputs)
    #expect(members("inputs") == inputs)
  }

  @Test(arguments: [
    ("getNameCallbacks().get(0)", "ada"), ("getChoiceCallbacks().get(0)[0]", "1"),
    ("getHiddenValueCallbacks().get('h')", "v"), ("getTextInputCallbacks().size()", "0"),
    ("getStringAttributeInputCallbacks().get(0).get('value')", "a@b"),
    ("getKbaCreateCallbacks().get(0).selectedAnswer", "Rex"), ("isEmpty()", "false"),
  ]) func `the answer is read`(_ expression: String, _ value: String) async throws {
    let callbacks: JSONValue = [
      ["type": "NameCallback", "outputs": [], "reply": ["": "ada"]],
      ["type": "ChoiceCallback", "outputs": [], "reply": ["": 1]],
      ["type": "HiddenValueCallback", "outputs": [["id", "h"]], "reply": ["": "v"]],
      ["type": "StringAttributeInputCallback", "outputs": [], "reply": ["": "a@b", "validateOnly": false]],
      ["type": "KbaCreateCallback", "outputs": [], "reply": ["question": "Pet?", "answer": "Rex"]],
    ]
    let outcome = try await Scripts().outcome(
      of: "action.goTo(callbacks.\(expression))", ["callbacks": callbacks])
    #expect(outcome == value)
  }

  @Test func `the request is there, headers without regard to case`() async throws {
    let outcome = try await Scripts().outcome(
      of: """
        action.goTo([requestHeaders.get("User-Agent").get(0), requestParameters.get("p").get(1), requestCookies.c,
          requestHeaders.get("none"), existingSession.get("UserToken"), resumedFromSuspend].join())
        """,
      [
        "headers": ["user-agent": ["Test/1"]], "parameters": ["p": ["a", "b"]], "cookies": ["c": "d"],
        "session": ["UserToken": "ada"], "resumed": true,
      ])
    #expect(outcome == "Test/1,b,d,,ada,true")
  }

  @Test func `library scripts are found by their names, once each`() async throws {
    let output = try await Scripts().run(
      "const a = require('lib'); a.count(); action.goTo(require('lib').count() + require('other'))",
      libraries: [
        "lib": "let calls = 0; exports.count = () => ++calls",
        "other": "module.exports = require('lib').count() + '!'",
      ])
    #expect(output.decision["outcome"] == "23!")
  }

  @Test(arguments: [
    ("utils.base64.encode('hé€😀')", "aMOp4oKs8J+YgA=="), ("utils.base64.decode('aMOp4oKs8J+YgA==')", "hé€😀"),
    ("utils.base64url.encode([251, 255])", "-_8"),
    ("utils.types.bytesToString(utils.types.stringToBytes('ü'))", "ü"),
  ]) func `texts are coded`(_ expression: String, _ value: String) async throws {
    #expect(try await Scripts().outcome(of: "action.goTo(\(expression))") == value)
  }

  @Test func `what the server refuses is thrown in the script`() async throws {
    let calls = Calls { _, _ in throw ScriptError(.failed, "the host is not in the list") }
    let output = try await Scripts().run(
      "try { httpClient.send('https://example.com').get() } catch (e) { action.goTo(e.message) }",
      calls: calls)
    #expect(output.decision["outcome"] == "the host is not in the list")
  }

  @Test func `a response of another host is read`() async throws {
    let calls = Calls { function, arguments in
      #expect(function == "http")
      #expect(arguments[1] == "POST" && arguments[3] == #"{"a":1}"#)
      #expect(arguments[2] == ["content-type": "application/json", "authorization": "Bearer t"])
      return ["status": 201, "reason": "Created", "headers": ["x": "y"], "body": #"{"b":[2]}"#]
    }
    let output = try await Scripts().run(
      """
      const answer = httpClient.send("https://example.com", { method: "POST", body: { a: 1 }, token: "t" }).get();
      action.goTo([answer.status, answer.ok, answer.json().b.get(0), answer.headers.get("x")].join())
      """, calls: calls)
    #expect(output.decision["outcome"] == "201,true,2,y")
  }
}
