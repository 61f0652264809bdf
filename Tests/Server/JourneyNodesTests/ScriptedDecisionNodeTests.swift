import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import JourneyEngine
import JourneyScripts
import JourneyStore
import StrictJSON
import Testing

@testable import JourneyNodes

/// Script nodes, with real workers.
@Suite struct ScriptedDecisionNodeTests {
  private static let program = BuiltProgram.path("ScriptHost")

  private struct Setting {
    var services: NodeServices
    let log = Locked<[ScriptLogLine]>([])
    let people = PeopleInMemory()

    init(http: (any ScriptHTTP)? = nil) async throws {
      services = try await World().services
      let log = log
      var scripts = ScriptServices(workers: ScriptWorkers(program: program))
      (scripts.http, scripts.identities, scripts.environment) = (http, people, ["esv.limit": "3"])
      scripts.log = { line, _, _ in log.withLock { $0.append(line) } }
      scripts.realmEnvironments = ["alpha": ["esv.own": "alpha's"], "beta": ["esv.other": "beta's"]]
      services.scripts = scripts
    }

    func node(
      _ source: String, version: String = "2.0", _ properties: JSONObject = [:],
      language: String = "JAVASCRIPT",
      libraries: [JourneyScript] = []
    ) throws -> any JourneyNode {
      var all: JSONObject = ["script": "s", "outcomes": ["true", "false"]]
      all.merge(properties)
      var definition = NodeDefinition(id: "n", type: "ScriptedDecisionNode", properties: all)
      let script = JourneyScript(
        id: "s", name: "Decide", source: source, language: language, evaluatorVersion: version)
      definition.attachments = JourneyAttachments(
        scripts: Dictionary(uniqueKeysWithValues: ([script] + libraries).map { ($0.id, $0) }))
      let maker = try #require(NodeLibrary.registry(services: services).maker(for: "ScriptedDecisionNode"))
      return try maker(definition)
    }

    func visit(
      _ source: String, version: String = "2.0", _ properties: JSONObject = [:],
      state: JourneyState = JourneyState(),
      libraries: [JourneyScript] = []
    ) throws -> Visit {
      Visit(
        node: try node(source, version: version, properties, libraries: libraries),
        request: RequestFacts(
          realm: "alpha",
          headers: ["user-agent": "Test/1", "cookie": "a=b; c=d", "x-openam-password": "Correct horse 1"]),
        state: state)
    }
  }

  @Test func `a script finds the session's own properties, and none that it could have made up`() async throws
  {
    let setting = try await Setting()
    let now = setting.services.clock()
    let record = SessionRecord(
      tokenHash: [1, 2, 3], handle: "shandle:a", realm: "alpha", username: "mira", createdAt: now,
      latestAccess: now, maximumIdle: 1800, expiresAt: now.addingTimeInterval(7200),
      properties: ["plan": "gold", "AuthLevel": "99"], authLevel: 2, service: "Login", authenticatedAt: now)
    _ = try await setting.services.store.openSession(NewSession(record, now: now), by: nil)
    func plan(of hash: [UInt8]) async throws -> JSONValue? {
      var visit = try setting.visit(
        "nodeState.putShared('found', [existingSession.get('plan'), existingSession.AuthLevel]); action.goTo('true')"
      )
      visit.session = PresentedSession(
        tokenHash: hash, username: "mira", authLevel: 2, service: "Login", authenticatedAt: now)
      #expect(try await visit.evaluate() == .outcome("true"))
      return visit.state.shared["found"]
    }
    #expect(try await plan(of: [1, 2, 3]) == ["gold", "2"])
    // One that has ended meanwhile.
    #expect(try await plan(of: [9]) == [.null, "2"])
  }

  @Test func `a script chooses an outcome and changes state`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      nodeState.putShared("seen", nodeState.get("username") + "!").putTransient("t", 1);
      nodeState.remove("old");
      logger.warn("done");
      action.goTo("true");
      """,
      state: JourneyState(shared: ["username": "mira", "old": 1], transient: ["old": 2]))
    #expect(try await visit.evaluate() == .outcome("true"))
    #expect(visit.state.shared == ["username": "mira", "seen": "mira!"])
    #expect(visit.state.transient == ["t": 1])
    #expect(setting.log.withLock { $0 } == [ScriptLogLine(level: "warning", text: "done")])
  }

  @Test func `a legacy script sets a variable`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "outcome = sharedState.get('username').equals('mira') ? 'true' : 'false'", version: "1.0",
      state: JourneyState(shared: ["username": "mira"]))
    #expect(try await visit.evaluate() == .outcome("true"))
  }

  @Test func `a script asks, and reads the answer when it is evaluated again`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      if (callbacks.isEmpty()) {
        callbacksBuilder.textOutputCallback(0, "Hello");
        callbacksBuilder.textInputCallback("Colour", "red");
        action.withHeader("Head").withDescription("Text").withStage("stage");
      } else {
        nodeState.putShared("colour", callbacks.getTextInputCallbacks().get(0));
        action.goTo("true");
      }
      """)
    let asked = try await visit.ask()
    #expect(asked.map(\.type) == ["TextOutputCallback", "TextInputCallback"])
    #expect(asked[1].inputs == [.init("", "red")])
    let texts = (visit.node as? any TitledNode)?.texts(notes: visit.notes)
    #expect(texts == StepTexts(header: "Head", description: "Text", stage: "stage"))
    #expect(try await visit.answer([:], ["": "blue"]) == .outcome("true"))
    #expect(visit.state.shared == ["colour": "blue"])
  }

  @Test func `a script suspends the journey with its link`() async throws {
    let setting = try await Setting()
    let node = try setting.node(
      """
      if (resumedFromSuspend) action.goTo("true");
      else action.suspend("Check your mail", (link) => { nodeState.putShared("link", link) });
      """)
    var context = NodeContext(nodeID: "n", request: RequestFacts(realm: "alpha"))
    let link = ResumeLink(address: "https://example.com/am?suspendedId=7", id: "7")
    context.makeResumeLink = { link }
    #expect(try await node.evaluate(&context) == .suspend(Suspension(link: link, message: "Check your mail")))
    #expect(context.state.shared == ["link": "https://example.com/am?suspendedId=7"])
    context.isResumed = true
    #expect(try await node.evaluate(&context) == .outcome("true"))
  }

  @Test func `secure state, and what other nodes answer for, is out of reach`() async throws {
    let setting = try await Setting()
    var state = JourneyState(
      shared: ["username": "mira"], transient: ["DeviceBinding.TERMS": ["limit": 1]],
      secure: ["key": "secret"])
    state.noteAuthentication(at: Date(timeIntervalSince1970: 1), by: "password")
    var visit = try setting.visit(
      """
      nodeState.putShared("found", JSON.stringify([nodeState.keys(), nodeState.get("key"), typeof assurance]));
      nodeState.remove("key");
      nodeState.putTransient("DeviceBinding.TERMS", { limit: 9 });
      nodeState.putShared("sealring.evidence", 1);
      nodeState.putShared("Transaction.REQUEST", 1);
      nodeState.putTransient("DeviceBindingCallback.ATTESTATION", { kind: "tpm" });
      action.goTo("true");
      """, state: state)
    _ = try await visit.evaluate()
    #expect(visit.state.shared["found"] == #"[["username","DeviceBinding.TERMS"],null,"undefined"]"#)
    #expect(visit.state.secure == ["key": "secret"])
    #expect(visit.state.transient == ["DeviceBinding.TERMS": ["limit": 1]])
    #expect(visit.state.shared["sealring.evidence"] == nil)
    #expect(visit.state.factors == ["password"])
    #expect(visit.reasons.count { $0.contains("may not set") } == 4)
  }

  /// What a native client sends back of two texts, one with a script, and two questions.
  @Test(
    arguments: [
      ("2.0", [1], "3,Ada,x"), ("2.0", [], "4,Ada,x"), ("2.0", [0, 1], "2,Ada,x"),
      ("1.0", [1], "3,NameCallback,Ada"), ("1.0", [0, 1], "2,TextInputCallback,x"),
    ] as [(String, Set<Int>, String)])
  func `a script sees only the callbacks that were sent back`(
    version: String, omitted: Set<Int>, seen: String
  ) async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      version == "2.0"
        ? """
        if (callbacks.isEmpty()) {
          callbacksBuilder.textOutputCallback(0, "Hello");
          callbacksBuilder.scriptTextOutputCallback("document.title = 'x'");
          callbacksBuilder.nameCallback("Name");
          callbacksBuilder.textInputCallback("More");
        } else {
          nodeState.putShared("seen", [callbacks.size(), callbacks.getNameCallbacks().get(0),
            callbacks.getTextInputCallbacks().get(0)].join());
          action.goTo("true");
        }
        """
        : """
        var fr = JavaImporter(org.forgerock.openam.auth.node.api.Action, javax.security.auth.callback.NameCallback,
          javax.security.auth.callback.TextInputCallback, javax.security.auth.callback.TextOutputCallback,
          com.sun.identity.authentication.callbacks.ScriptTextOutputCallback);
        if (callbacks.isEmpty()) {
          action = fr.Action.send(new fr.TextOutputCallback(0, "Hello"), new fr.ScriptTextOutputCallback("x"),
            new fr.NameCallback("Name"), new fr.TextInputCallback("More")).build();
        } else {
          var second = callbacks.get(1);
          var value = second.getType() === "NameCallback" ? second.getName() : second.getText();
          sharedState.put("seen", [callbacks.size(), second.getType(), value].join());
          outcome = "true";
        }
        """, version: version)
    let asked = try await visit.ask()
    #expect(asked[1].output("messageType") == "4")
    let reply = CallbackReply(callbacks: [[:], [:], ["": "Ada"], ["": "x"]], omitted: omitted)
    #expect(try await visit.evaluate(reply) == .outcome("true"))
    #expect(visit.state.shared["seen"] == .string(seen))
  }

  @Test func `a question that was not answered is missing, and a script that reads it fails`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      if (callbacks.isEmpty()) { callbacksBuilder.nameCallback("Name"); callbacksBuilder.textInputCallback("More"); }
      else { nodeState.putShared("name", callbacks.getNameCallbacks().get(0)); action.goTo("true"); }
      """)
    _ = try await visit.ask()
    await #expect(throws: ScriptError.self) {
      try await visit.evaluate(CallbackReply(callbacks: [[:], ["": "x"]], omitted: [0]))
    }
    #expect(visit.state.shared["name"] == nil)
  }

  @Test func `a script that turns to another user starts with nothing proven`() async throws {
    let setting = try await Setting()
    var state = JourneyState(shared: ["username": "mira"])
    state.noteAuthentication(at: Date(timeIntervalSince1970: 1), by: "password")
    state.changeAuthLevel(by: 5)
    var visit = try setting.visit(
      "nodeState.putShared('username', 'rosa'); action.goTo('true')", state: state)
    _ = try await visit.evaluate()
    #expect(visit.state.authLevel == 0)
    #expect(visit.state.factors.isEmpty)
    #expect(visit.state.authenticatedAt == nil)
  }

  @Test func `declared inputs and outputs bound what a script sees and sets`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "nodeState.putShared('b', String(nodeState.get('other'))).putShared('c', 1); action.goTo(nodeState.get('a'))",
      ["inputs": ["a"], "outputs": ["b"]], state: JourneyState(shared: ["a": "true", "other": 1]))
    #expect(try await visit.evaluate() == .outcome("true"))
    #expect(visit.state.shared == ["a": "true", "other": 1, "b": "null"])
    #expect(visit.node.stateInputs == ["a"] && visit.node.stateOutputs == ["b"])
  }

  @Test func `a device is read before it is stored, and a proof after signing`() async throws {
    let setting = try await Setting()
    let state = JourneyState(
      shared: ["DeviceSigningVerifierNode.JWT": "a.b.c"],
      transient: ["DeviceBinding.DEVICE": ["deviceName": "Kiosk", "key": ["kty": "EC"]]])
    var visit = try setting.visit(
      """
      var device = nodeState.get("DeviceBinding.DEVICE");
      outcome = device.get("deviceName").asString() == "Kiosk"
        && nodeState.get("DeviceSigningVerifierNode.JWT").asString().split(".").length == 3 ? "true" : "false";
      """, version: "1.0", state: state)
    #expect(try await visit.evaluate() == .outcome("true"))
  }

  @Test func `headers with a password are withheld, and variables are found`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      nodeState.putShared("r", [requestHeaders.get("User-Agent").get(0), String(requestHeaders.get("X-OpenAM-Password")),
        requestCookies.get("c"), systemEnv.getProperty("esv.limit", 1, "java.lang.Integer") + 1,
        systemEnv.getProperty("esv.none", "preset"), realm].join());
      action.goTo("true");
      """)
    _ = try await visit.evaluate()
    #expect(visit.state.shared["r"] == "Test/1,null,d,4,preset,/alpha")
  }

  @Test(arguments: ["1.0", "2.0"])
  func `a script sees no cookie and no header that signs somebody in`(_ version: String) async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      var seen = ["cookie", "Cookie", "authorization", "iPlanetDirectoryPro", "iplanetdirectorypro", "proxy-authorization", "DPoP"]
        .map(function (name) { var value = requestHeaders.get(name); return value === null ? "" : String(value.get(0)); })
        .concat(["iPlanetDirectoryPro", "IPLANETDIRECTORYPRO", "__Host-iPlanetDirectoryPro", "sealring-device",
          "__Host-sealring-device", "session-jwt", "remember"].map(function (name) {
            var value = requestCookies[name] || (requestCookies.get && requestCookies.get(name)); return value ? String(value) : "";
          }));
      nodeState.putShared("seen", seen.join("") + JSON.stringify(requestCookies) + requestCookies["theme"]);
      outcome = "true"; typeof action === "undefined" || action.goTo && action.goTo("true");
      """, version: version)
    let cookie = try persistentCookie(of: setting)
    visit.request.headers["iplanetdirectorypro"] = "SECRET-1"
    visit.request.headers["authorization"] = "Bearer SECRET-2"
    visit.request.headers["proxy-authorization"] = "Basic SECRET-3"
    visit.request.headers["dpop"] = "SECRET-4"
    visit.request.headers["cookie"] =
      "iPlanetDirectoryPro=SECRET-5; IPLANETDIRECTORYPRO=SECRET-6; __Host-iPlanetDirectoryPro=SECRET-7; "
      + "sealring-device=SECRET-8; __Host-sealring-device=SECRET-9; remember=\(cookie); theme=dark"
    #expect(try await visit.evaluate() == .outcome("true"))
    let seen = try #require(visit.state.shared["seen"]?.stringValue)
    #expect(!seen.contains("SECRET"))
    #expect(!seen.contains(cookie.prefix(20)))
    #expect(seen.contains("dark"))
  }

  /// As a journey of any realm names it.
  private func persistentCookie(of setting: Setting) throws -> String {
    var state = JourneyState()
    PersistentCookies.order(
      PersistentCookies.Order(
        name: "remember", idleTime: 3600, maximumLife: 7200, isSecure: true, isHTTPOnly: true), in: &state)
    let user = UserRecord(realm: "root", username: "amadmin", createdAt: setting.services.clock())
    return try #require(
      PersistentCookies { [[UInt8](repeating: 7, count: 32)] }.issue(
        state, for: user, clientAddress: "192.0.2.1", now: setting.services.clock(),
        randomBytes: { [UInt8](repeating: 1, count: $0) }
      ).first
    ).value
  }

  @Test func `variables belong to a realm, or to all`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      nodeState.putShared("r", ["esv.limit", "esv.own", "esv.other"].map((name) => systemEnv.getProperty(name, "none")).join());
      action.goTo("true");
      """)
    _ = try await visit.evaluate()
    #expect(visit.state.shared["r"] == "3,alpha's,none")
  }

  @Test func `libraries come from the file`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "action.goTo(require('Lib').choose())",
      libraries: [
        JourneyScript(id: "l", name: "Lib", source: "exports.choose = () => 'false'", context: "LIBRARY"),
        JourneyScript(id: "o", name: "Other", source: "for (;;) {}"),
      ])
    #expect(try await visit.evaluate() == .outcome("false"))
  }

  @Test func `an error message is kept for the end of a run that fails`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit("action.goTo('false').withErrorMessage('Come back tomorrow')")
    _ = try await visit.evaluate()
    #expect(visit.state.failureMessage == "Come back tomorrow")
  }

  @Test func `session properties are kept for the session, the server's own excepted`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "action.goTo('true').putSessionProperty('a', '1').putSessionProperty('b', '2').removeSessionProperty('old')",
      state: {
        var state = JourneyState(); state.sessionProperties = ["old": "x"]; return state
      }())
    _ = try await visit.evaluate()
    #expect(visit.state.sessionProperties == ["a": "1", "b": "2"])
    for name in ["AuthLevel", "AMCtxId", "am.protected.x", ""] {
      var refused = try setting.visit("action.goTo('true').putSessionProperty('\(name)', '9')")
      await #expect(throws: NodeError.self) { try await refused.evaluate() }
    }
    var many = try setting.visit(
      "for (let i = 0; i < 40; i++) action.putSessionProperty('p' + i, 'v'); action.goTo('true')")
    await #expect(throws: NodeError.self) { try await many.evaluate() }
  }

  // MARK: Identities

  @Test func `identities are read and changed`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      const ada = idRepository.getIdentity("ada");
      ada.setAttribute("givenName", ["Augusta"]).addAttribute("alias", "b").store();
      nodeState.putShared("r", [ada.getName(), ada.getAttributeValues("mail").get(0), ada.getUniversalId(),
        openidm.read("managed/alpha_user/1").givenName, openidm.query("managed/user", {_queryFilter: 'true'}).resultCount,
        idRepository.getIdentity("nobody")].join("|"));
      action.goTo("true");
      """)
    _ = try await visit.evaluate()
    #expect(
      visit.state.shared["r"]
        == "ada|ada@example.com|id=ada,ou=user,o=alpha,ou=services,ou=am-config|Augusta|1|")
    #expect(setting.people.records.withLock { $0["1"]?["alias"] } == ["a", "b"])
  }

  @Test(arguments: [
    "managed/beta_user/1", "managed/alpha_role/1", "internal/user/1", "managed/user/1/../2", "config/x",
    "managed/user/",
    "managed//user",
  ]) func `a script reaches the users of its realm and nothing else`(_ resource: String) async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "try { openidm.read('\(resource)'); action.goTo('true') } catch (e) { nodeState.putShared('e', e.message); action.goTo('false') }"
    )
    #expect(try await visit.evaluate() == .outcome("false"))
    #expect(visit.state.shared["e"]?.stringValue?.contains("scripts reach managed/user") == true)
  }

  // MARK: Cryptography

  @Test(arguments: [
    (
      "utils.base64.encode(utils.crypto.subtle.digest('SHA-256', 'abc'))",
      "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="
    ),
    (
      // RFC 4231, test case 2.
      "utils.base64.encode(utils.crypto.subtle.sign('HmacSHA256', 'Jefe', 'what do ya want for nothing?'))",
      "W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM="
    ),
    ("utils.crypto.randomUUID().length", "36"),
    ("utils.crypto.getRandomValues(new Uint8Array(8)).length", "8"),
    (
      "String(utils.crypto.subtle.verify('HMAC', 'k', 'm', utils.crypto.subtle.sign('HMAC', 'k', 'm')))",
      "true"
    ),
  ]) func `digests and codes are computed`(_ expression: String, _ value: String) async throws {
    let setting = try await Setting()
    var visit = try setting.visit("nodeState.putShared('r', String(\(expression))); action.goTo('true')")
    _ = try await visit.evaluate()
    #expect(visit.state.shared["r"]?.stringValue == value)
  }

  @Test func `a token with the latest possible end is verified like any other`() async throws {
    let setting = try await Setting()
    let claims: JSONObject = ["exp": .integer(.max), "x": 1]
    let signed = [Array(#"{"alg":"HS256"}"#.utf8), claims.serialized].map { Base64URL.encode($0) }
      .joined(separator: ".")
    let key = SymmetricKey(data: Array("0123456789abcdef0123456789abcdef".utf8))
    let mac = HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key)
    let token = "\(signed).\(Base64URL.encode(Array(mac)))"
    var visit = try setting.visit(
      """
      const data = { jwsAlgorithm: "HS256", signingKey: utils.base64.encode("0123456789abcdef0123456789abcdef") };
      nodeState.putShared("r", String(jwtValidator.validateJwtClaims("\(token)", data).x));
      action.goTo("true");
      """)
    _ = try await visit.evaluate()
    #expect(visit.state.shared["r"] == "1")
  }

  @Test func `a token is made and verified, and a wrong one is null`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      """
      const key = utils.base64.encode("0123456789abcdef0123456789abcdef");
      const other = utils.base64.encode("fedcba9876543210fedcba9876543210");
      const data = { jwtType: "SIGNED", jwsAlgorithm: "HS256", issuer: "i", subject: "s", audience: "a", signingKey: key, claims: { x: 1 } };
      const token = jwtAssertion.generateJwt(data);
      const wrong = [
        jwtValidator.validateJwtClaims(token, { ...data, signingKey: other }),
        jwtValidator.validateJwtClaims(token, { ...data, audience: "b" }),
        jwtValidator.validateJwtClaims(token, { ...data, issuer: "j" }),
        jwtValidator.validateJwtClaims(jwtAssertion.generateJwt({ ...data, claims: { nbf: "soon" } }), data),
        jwtValidator.validateJwtClaims(utils.base64url.encode('{"alg":"none"}') + "." + token.split(".")[1] + ".", data),
      ];
      nodeState.putShared("r", [jwtValidator.validateJwtClaims(token, data).x, wrong.every((each) => each === null)].join());
      action.goTo("true");
      """)
    _ = try await visit.evaluate()
    #expect(visit.state.shared["r"] == "1,true")
  }

  // MARK: Other hosts

  @Test func `without a list of hosts no request is sent`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit("httpClient.send('https://example.com').get()")
    let error = await #expect(throws: ScriptError.self) { try await visit.evaluate() }
    #expect(error?.description.contains("--script-host") == true)
  }

  // MARK: Failures

  @Test func `an outcome that the node does not have is an error that names it`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit("action.goTo('maybe')")
    let error = await #expect(throws: NodeError.self) { try await visit.evaluate() }
    #expect(error?.description.contains("\"maybe\"") == true)
    #expect(error?.description.contains("true, false") == true)
  }

  @Test(arguments: ["1 + 1", "new Promise(() => {}).then(() => action.goTo('true'))", "outcome = null"])
  func `a script without an outcome is an error`(_ source: String) async throws {
    let setting = try await Setting()
    var visit = try setting.visit(source)
    await #expect(throws: NodeError.self) { try await visit.evaluate() }
  }

  @Test func `a script that fails changes nothing and keeps its log`() async throws {
    let setting = try await Setting()
    var visit = try setting.visit(
      "logger.error('before'); nodeState.putShared('x', 1); throw new Error('no')")
    await #expect(throws: ScriptError.self) { try await visit.evaluate() }
    #expect(visit.state.shared.isEmpty)
    #expect(setting.log.withLock { $0.map(\.text) } == ["before"])
  }

  @Test func `Groovy is refused with a sentence`() async throws {
    let setting = try await Setting()
    let error = #expect(throws: JourneyFileError.self) { try setting.node("x", language: "GROOVY") }
    #expect(error?.description.contains("written in Groovy") == true)
  }

  @Test(arguments: [["script": "missing"], ["outcomes": []], ["outcomes": [[]]]] as [JSONObject])
  func `a node that cannot work is refused when it is loaded`(_ properties: JSONObject) async throws {
    let setting = try await Setting()
    #expect(throws: JourneyFileError.self) { try setting.node("1", properties) }
  }

  @Test func `what a script writes by name is known to the check of state`() {
    #expect(
      StateNames.written(
        by: "nodeState.putShared('a', 1).putTransient(\"b\", 2); sharedState.put('c', x); put(y)")
        == ["a", "b", "c"])
  }
}

/// One user, `ada` with the id 1.
final class PeopleInMemory: ManagedObjects {
  let records = Locked<[String: JSONObject]>([
    "1": [
      "_id": "1", "_rev": "0", "userName": "ada", "mail": "ada@example.com", "givenName": "Ada",
      "alias": ["a"],
    ]
  ])

  func read(_ resource: String, realm: String) async throws -> JSONObject? {
    let id = resource.split(separator: "/").last.map(String.init) ?? ""
    return records.withLock { $0[id] }
  }

  func query(_ resource: String, filter: String, fields: [String], limit: Int, realm: String) async throws
    -> [JSONObject]
  {
    records.withLock { records in
      records.values.filter {
        filter == "true" || filter == "userName eq \"\($0["userName"]?.stringValue ?? "")\""
      }
    }
  }

  func create(_ resource: String, id: String?, content: JSONObject, realm: String) async throws -> JSONObject
  {
    throw ManagedObjectError(.conflict, "there is one already")
  }

  func update(_ resource: String, revision: String?, content: JSONObject, realm: String) async throws
    -> JSONObject
  {
    content
  }

  func patch(_ resource: String, revision: String?, operations: [JSONObject], realm: String) async throws
    -> JSONObject
  {
    try records.withLock { records in
      guard var record = records["1"], revision == record["_rev"]?.stringValue else {
        throw ManagedObjectError(.preconditionFailed, "it was changed")
      }
      for operation in operations {
        guard let field = operation["field"]?.stringValue?.dropFirst() else { continue }
        record[String(field)] = operation["value"]
      }
      records["1"] = record
      return record
    }
  }

  func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject {
    throw ManagedObjectError(.forbidden, "no")
  }
}
