import JourneyScripts
import StrictJSON
import Testing

/// What legacy scripts (evaluator version 1.0) find.
@Suite struct LegacyBindingsTests {
  private static let state: JSONObject = [
    "shared": ["username": "ada", "objectAttributes": ["mail": "ada@example.com"], "level": 3],
    "transient": ["password": "secret"],
  ]

  @Test(arguments: [
    ("sharedState.get('username')", "ada"), ("sharedState.get('nobody') == null", "true"),
    ("transientState.get('password')", "secret"), ("nodeState.get('username').asString()", "ada"),
    ("nodeState.get('objectAttributes').get('mail').asString()", "ada@example.com"),
    ("nodeState.get('level').asInteger() + 1", "4"), ("nodeState.get('nobody') === null", "true"),
    ("sharedState.get('objectAttributes').get('mail')", "ada@example.com"),
    ("sharedState.get('username').equalsIgnoreCase('ADA')", "true"),
    ("new java.lang.String('a').concat('b')", "ab"), ("java.lang.Integer.parseInt('12') + 1", "13"),
    ("org.forgerock.json.JsonValue.json({a: 1}).get('a').asInteger()", "1"),
    ("org.forgerock.json.JsonValue.field('a', 1).getKey()", "a"),
    ("org.forgerock.json.JsonValue.field('a', ['b']).getValue().get(0)", "b"),
    (
      "(function (J) { return J.json(J.object(J.field('a', J.json('b')), J.fieldIfNotNull('c', null), J.field('d', J.array(1, null)))).toString(); })(org.forgerock.json.JsonValue)",
      #"{"a":"b","d":[1,null]}"#
    ),
    ("org.forgerock.json.JsonValue.object().isEmpty()", "true"),
    ("org.forgerock.json.JsonValue.array('a', 'b').get(1)", "b"),
    ("org.forgerock.json.JsonValue.set('a', 'b', 'a').size()", "2"),
    (
      "typeof org.forgerock.json.JsonValue.object(org.forgerock.json.JsonValue.field('__proto__', {x: 1})).x",
      "undefined"
    ),
    ("java.util.Arrays.asList('a', 'b').size()", "2"), ("typeof action", "undefined"),
    // A script that asks whether a person is in a map is not told yes for the name of a member that every object has.
    (
      "['constructor', 'toString', '__proto__', 'hasOwnProperty'].map((name) => nodeState.get('objectAttributes').get(name).isNull()).join()",
      "true,true,true,true"
    ),
    ("org.forgerock.json.JsonValue.json(['a', 'b']).get('length').isNull()", "true"),
    ("org.forgerock.json.JsonValue.json(['a', 'b']).get(1).asString()", "b"),
    ("org.forgerock.json.JsonValue.json(['a', 'b']).get(2).isNull()", "true"),
  ]) func `an outcome is a global variable`(_ expression: String, _ value: String) async throws {
    #expect(try await Scripts().outcome(of: "outcome = \(expression)", legacy: true, Self.state) == value)
  }

  @Test(arguments: [
    "var outcome = 'true'", "let outcome = 'true'", "const outcome = 'true'", "outcome = 'true'",
  ])
  func `an outcome may be declared`(_ source: String) async throws {
    #expect(try await Scripts().outcome(of: source, legacy: true) == "true")
  }

  @Test func `the two maps are written`() async throws {
    let output = try await Scripts().run(
      """
      var attributes = sharedState.get("objectAttributes");
      attributes.put("sn", "Lovelace");
      sharedState.put("objectAttributes", attributes);
      transientState.put("list", new java.util.ArrayList(["a"]));
      outcome = "true";
      """, legacy: true, Self.state)
    #expect(
      output.decision["shared"] == [["objectAttributes", ["mail": "ada@example.com", "sn": "Lovelace"]]])
    #expect(output.decision["transient"] == [["list", ["a"]]])
  }

  /// As published scripts begin.
  private static let imports = """
    var fr = JavaImporter(
      org.forgerock.openam.auth.node.api.Action,
      javax.security.auth.callback.NameCallback,
      javax.security.auth.callback.PasswordCallback,
      javax.security.auth.callback.ChoiceCallback,
      com.sun.identity.authentication.callbacks.HiddenValueCallback,
      com.sun.identity.authentication.callbacks.ScriptTextOutputCallback,
      java.lang.String
    );

    """

  @Test func `callbacks are sent and read`() async throws {
    let source =
      Self.imports + """
        with (fr) {
          if (callbacks.isEmpty()) {
            action = Action.send([
              new NameCallback("User"), new PasswordCallback("Word", false), new HiddenValueCallback("h", "v"),
              new ChoiceCallback("C", ["a", "b"], 0, false)]).build();
          } else {
            sharedState.put("n", callbacks.get(0).getName());
            transientState.put("p", String(callbacks.get(1).getPassword()));
            action = Action.goTo(callbacks.get(2).getValue() + callbacks.get(3).getSelectedIndexes()[0])
              .putSessionProperty("k", "v").withErrorMessage("e").build();
          }
        }
        """
    let scripts = Scripts()
    let asked = try await scripts.run(source, legacy: true).decision
    #expect(asked["outcome"] == .null)
    let types = asked["callbacks"]?.arrayValue?.map { $0["type"] }
    #expect(types == ["NameCallback", "PasswordCallback", "HiddenValueCallback", "ChoiceCallback"])
    let answered = try await scripts.run(
      source, legacy: true,
      [
        "callbacks": [
          ["type": "NameCallback", "outputs": [], "reply": ["": "ada"]],
          ["type": "PasswordCallback", "outputs": [], "reply": ["": "secret"]],
          ["type": "HiddenValueCallback", "outputs": [["id", "h"]], "reply": ["": "w"]],
          ["type": "ChoiceCallback", "outputs": [], "reply": ["": 1]],
        ]
      ]
    ).decision
    #expect(answered["outcome"] == "w1")
    #expect(answered["shared"] == [["n", "ada"]] && answered["transient"] == [["p", "secret"]])
    #expect(answered["sessionProperties"] == [["k", "v"]] && answered["errorMessage"] == "e")
  }

  @Test(arguments: [
    "var fr = new JavaImporter(org.forgerock.openam.auth.node.api, javax.security.auth.callback); action = fr.Action.goTo('x').build()",
    "action = org.forgerock.openam.auth.node.api.Action.goTo('x').build()",
    "action = Packages.org.forgerock.openam.auth.node.api.Action.goTo('x').build()",
  ]) func `classes are found however they are named`(_ source: String) async throws {
    #expect(try await Scripts().outcome(of: source, legacy: true) == "x")
  }

  @Test func `a class that is not here says its name when it is used`() async throws {
    let error = try await Scripts().failure(
      of: "var c = com.example.Thing;\nnew c()", legacy: true)
    #expect(
      error.description == "Test, line 2: Error: The Java class com.example.Thing is not available here")
  }

  @Test func `a request is sent in Java's way`() async throws {
    let calls = Calls { _, arguments in
      #expect(
        arguments == ["https://example.com/x", "PUT", ["a": "b", "content-type": "application/json"], "{}"])
      return ["status": 200, "reason": "OK", "headers": [:], "body": "fine"]
    }
    let output = try await Scripts().run(
      """
      var request = new org.forgerock.http.protocol.Request();
      request.setUri("https://example.com/x"); request.setMethod("PUT");
      request.getHeaders().add("a", "b"); request.getEntity().setString("{}");
      var response = httpClient.send(request).get();
      outcome = response.getStatus().getCode() + response.getEntity().getString();
      """, legacy: true, calls: calls)
    #expect(output.decision["outcome"] == "200fine")
  }

  @Test func `the log has Java's names`() async throws {
    let output = try await Scripts().run(
      "if (logger.messageEnabled()) logger.message('m'); logger.warning('w'); logger.error('e'); outcome = 'x'",
      legacy: true)
    #expect(output.log.map(\.level) == ["debug", "warning", "error"])
  }

  @Test func `Java's methods of texts are for legacy scripts only`() async throws {
    #expect(try await Scripts().outcome(of: "action.goTo(typeof 'a'.equals)") == "undefined")
  }
}
