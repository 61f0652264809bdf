import Concurrency
import JourneyEngine
import JourneyScripts
import StrictJSON
import Testing

@testable import JourneyNodes

@Suite struct RESTNodeTests {
  /// Stands for the other host.
  private final class Host: ScriptHTTP {
    struct Request: Sendable, Hashable {
      var method: String
      var url: String
      var headers: [String: String]
      var body: String?
      var time: Duration?
    }

    let requests = Locked<[Request]>([])
    let answer: Result<ScriptHTTPAnswer, NodeError>

    init(_ answer: Result<ScriptHTTPAnswer, NodeError>) { self.answer = answer }

    func send(
      _ method: String, _ url: String, headers: [String: String], body: [UInt8]?, realm: String,
      within time: Duration?
    ) async throws -> ScriptHTTPAnswer {
      requests.withLock {
        $0.append(
          Request(
            method: method, url: url, headers: headers,
            body: body.map { String(decoding: $0, as: UTF8.self) },
            time: time))
      }
      return try answer.get()
    }

    var only: Request {
      get throws { try #require(requests.withLock { $0.count == 1 ? $0.first : nil }) }
    }
  }

  private static func answer(_ status: Int, _ body: String = "") -> Result<ScriptHTTPAnswer, NodeError> {
    .success(ScriptHTTPAnswer(status: status, reason: "", headers: [:], body: body))
  }

  private func visit(
    _ properties: JSONObject, answer: Result<ScriptHTTPAnswer, NodeError> = answer(200),
    state: JourneyState = JourneyState()
  ) async throws -> (visit: Visit, host: Host) {
    let host = Host(answer)
    var services = try await World().services
    services.scripts = ScriptServices(workers: ScriptWorkers(program: nil))
    services.scripts?.http = host
    var all: JSONObject = ["restURL": "https://api.example.com/check", "responseCodes": ["200"]]
    all.merge(properties)
    let maker = try #require(NodeLibrary.registry(services: services).maker(for: "RESTNode"))
    let node = try maker(NodeDefinition(id: "n", type: "RESTNode", properties: all))
    return (Visit(node: node, request: RequestFacts(realm: "alpha"), state: state), host)
  }

  /// As an export has it.
  private static let exported: JSONObject = [
    "restURL": "https://api.example.com/users/${username}/risk", "requestMode": "GET", "bodyType": "JSON",
    "headersMap": ["X-Device": "${device.$.platform.name}"],
    "queryParamsMap": ["q": "${query}", "fixed": "a b"],
    "responseCodes": ["200", "404"], "statusCodeReturn": "code",
    "jpToSSMapper": ["score": "$.risk.scores[1]"],
    "jpToOutcomeMapper": [:], "timeout": 30, "basicAuthn": false, "usemTLS": false,
    "disableCertChecks": false, "publicCert": .null, "privateKey": .null,
  ]

  @Test func `an exported node asks with the journey's values, and keeps what the answer has`() async throws {
    var (visit, host) = try await visit(
      Self.exported, answer: Self.answer(200, #"{"risk": {"scores": [1, 7]}}"#),
      state: JourneyState(
        shared: ["username": "mira/ö", "query": "a&b=c", "device": ["platform": ["name": "linux"]]]))
    #expect(visit.node.outcomes == ["200", "404", "NOMATCHRESPONSE", "ERROR"])
    #expect(visit.node.warnings == [])
    #expect(visit.node.stateInputs == ["device", "query", "username"])
    #expect(visit.node.stateOutputs == ["score", "code"])
    #expect(try await visit.evaluate() == .outcome("200"))
    let request = try host.only
    #expect(request.method == "GET" && request.body == nil && request.time == .seconds(30))
    #expect(request.url == "https://api.example.com/users/mira%2F%C3%B6/risk?q=a%26b%3Dc&fixed=a%20b")
    #expect(request.headers == ["X-Device": "linux"])
    #expect(visit.state.shared["score"] == 7 && visit.state.shared["code"] == 200)
  }

  @Test(arguments: [(404, "404"), (500, "NOMATCHRESPONSE"), (302, "NOMATCHRESPONSE")])
  func `the code is the outcome, if it is listed; an answer that is not changes nothing but the code`(
    status: Int, outcome: String
  ) async throws {
    var properties = Self.exported
    properties["jpToSSMapper"] = ["username": "$.name"]
    properties["jpToOutcomeMapper"] = ["trusted": "$.ok"]
    properties["responseCodes"] = ["200", 404]
    var (visit, _) = try await visit(
      properties, answer: Self.answer(status, #"{"name": "rosa", "ok": false}"#),
      state: JourneyState(shared: [
        "username": "mira", "query": "q", "device": #"{"platform": {"name": "x"}}"#,
      ]))
    #expect(try await visit.evaluate() == .outcome(outcome))
    #expect(visit.state.shared["code"] == .integer(Int64(status)))
    #expect(visit.state.shared["username"] == (outcome == "404" ? "rosa" : "mira"))
  }

  static let decisions: [(String, String)] = [
    (#"{"risk": {"high": true}}"#, "stop"), (#"{"risk": {"high": false, "name": "some"}}"#, "named"),
    (#"{"risk": {"high": null, "name": ""}}"#, "200"), (#"{"risk": {"high": 0}}"#, "stop"), ("<html>", "200"),
    ("", "200"),
  ]

  @Test(arguments: decisions)
  func `the first place of the answer that says something decides`(body: String, outcome: String) async throws
  {
    var (visit, _) = try await visit(
      ["jpToOutcomeMapper": ["stop": "$.risk.high", "named": "$['risk']['name']"]],
      answer: Self.answer(200, body))
    #expect(visit.node.outcomes == ["200", "stop", "named", "NOMATCHRESPONSE", "ERROR"])
    #expect(try await visit.evaluate() == .outcome(outcome))
  }

  @Test func `what an answer does not have is taken away, so that an earlier answer does not stand for it`()
    async throws
  {
    var (visit, _) = try await visit(
      ["jpToSSMapper": ["a": "$.a", "b": "$.b"], "statusCodeReturn": "code"],
      answer: Self.answer(200, #"{"a": null}"#),
      state: JourneyState(shared: ["a": 1, "b": 2, "c": 3]))
    _ = try await visit.evaluate()
    #expect(visit.state.shared == ["c": 3, "code": 200])
    var (failed, _) = try await self.visit(
      ["statusCodeReturn": "code"], answer: .failure(NodeError("away")),
      state: JourneyState(shared: ["code": 200]))
    #expect(try await failed.evaluate() == .outcome("ERROR"))
    #expect(failed.state.shared["code"] == nil && failed.reasons.first?.contains("away") == true)
  }

  @Test func `an answer cannot fill the state`() async throws {
    let long = String(repeating: "x", count: 40_000)
    var (visit, _) = try await visit(
      ["jpToSSMapper": ["a": "$.a", "b": "$.b"]], answer: Self.answer(200, #"{"a": 1, "b": "\#(long)"}"#))
    #expect(try await visit.evaluate() == .outcome("ERROR"))
    #expect(visit.state.shared.isEmpty)
  }

  // MARK: What is sent

  @Test(arguments: [
    (
      "JSON", #"{"n": "${v}", "raw": ${v}, "o": ${o}}"#,
      #"{"n": "a\"}<b>&c=d", "raw": "a\"}<b>&c=d", "o": {"x":1}}"#
    ),
    ("JSON", #"{"\"": "\\", "n": ${v}}"#, #"{"\"": "\\", "n": "a\"}<b>&c=d"}"#),
    ("XML", "<n a='${v}'/>", "<n a='a&quot;}&lt;b&gt;&amp;c=d'/>"),
    ("FORM", "n=${v}&x=1", "n=a%22%7D%3Cb%3E%26c%3Dd&x=1"), ("TEXT", "n: ${v}", "n: a\"}<b>&c=d"),
  ])
  func `no value changes what is around it in a body`(type: String, body: String, sent: String) async throws {
    for name in ["payload", "requestBody"] {
      var (visit, host) = try await visit(
        ["requestMode": "POST", "bodyType": .string(type), name: .string(body)],
        state: JourneyState(shared: ["o": ["x": 1]], transient: ["v": #"a"}<b>&c=d"#]))
      #expect(try await visit.evaluate() == .outcome("200"))
      let request = try host.only
      #expect(request.body == sent)
      #expect(request.headers["Content-Type"]?.isEmpty == false && visit.node.warnings == [])
    }
  }

  @Test func `a backslash before a variable does not free it from its string`() async throws {
    var (visit, host) = try await visit(
      ["requestMode": "POST", "payload": #"{"n": "\\${v}", "m": "\${v}"}"#],
      state: JourneyState(shared: ["v": #"", "admin": true, "x": ""#]))
    #expect(try await visit.evaluate() == .outcome("ERROR"))
    #expect(host.requests.withLock { $0.isEmpty })
  }

  @Test func `a value in a string keeps the marks that combine with its quotation marks`() async throws {
    let value = "\u{301}ada\u{600}"
    var (visit, host) = try await visit(
      ["requestMode": "POST", "payload": #"{"n": "${v}"}"#],
      state: JourneyState(shared: ["v": .string(value)]))
    #expect(try await visit.evaluate() == .outcome("200"))
    #expect(Array((try host.only.body ?? "").utf8) == Array("{\"n\": \"\(value)\"}".utf8))
  }

  static let strangers: [(String, JSONValue)] = [
    ("..", "x"), (".", "x"), ("", "x"), ("../admin", "..%2Fadmin"), ("a?b#c", "a%3Fb%23c"),
    ("\\evil", "%5Cevil"),
    ("%2e%2e", "%252e%252e"), ("a\r\nb", "a%0D%0Ab"), ("@evil.example", "%40evil.example"),
  ]

  @Test(arguments: strangers) func `no value leads to another place of the host`(
    value: String, sent: JSONValue
  ) async throws {
    var (visit, host) = try await visit(
      ["restURL": "https://api.example.com/users/${id}", "requestMode": "DELETE"],
      state: JourneyState(shared: ["id": .string(value)]))
    let outcome = try await visit.evaluate()
    guard let request = host.requests.withLock({ $0.first }) else {
      #expect(outcome == .outcome("ERROR") && sent == "x")
      return
    }
    #expect(outcome == .outcome("200"))
    #expect(request.url == "https://api.example.com/users/\(sent.stringValue ?? "")")
  }

  @Test(arguments: ["${a}${a}", "a/${b}%2e", "%2E${b}"])
  func `nor do several, with what stands around them`(path: String) async throws {
    var (visit, host) = try await visit(
      ["restURL": .string("https://api.example.com/users/\(path)/x")],
      state: JourneyState(shared: ["a": ".", "b": "."]))
    #expect(try await visit.evaluate() == .outcome("ERROR"))
    #expect(host.requests.withLock { $0.isEmpty })
  }

  @Test func `a value that is not there is an error, and nothing is sent`() async throws {
    for text in ["${nobody}", "${device.$.missing}", "${secret}", "${text.$.a}"] {
      var (visit, host) = try await visit(
        ["headersMap": ["X": .string(text)]],
        state: JourneyState(
          shared: ["device": ["a": 1], "text": "no JSON", "nothing": .null], secure: ["secret": "s"]))
      #expect(try await visit.evaluate() == .outcome("ERROR"))
      #expect(host.requests.withLock { $0.isEmpty } && visit.reasons.first?.contains("no value") == true)
    }
  }

  @Test func `a password goes along only where the text names it`() async throws {
    let state = JourneyState(username: "mira", password: "Correct horse 1")
    var (visit, host) = try await visit(
      [
        "basicAuthn": true, "basicAuthnUsername": "${username}", "basicAuthnPassword": "${password}",
        "headersMap": ["authorization": "Bearer x"],
      ], state: state)
    #expect(try await visit.evaluate() == .outcome("200"))
    // mira:Correct horse 1
    #expect(try host.only.headers == ["Authorization": "Basic bWlyYTpDb3JyZWN0IGhvcnNlIDE="])
    #expect(visit.node.warnings == [])
    var (plain, other) = try await self.visit([:], state: state)
    _ = try await plain.evaluate()
    #expect(try "\(other.only)".contains("horse") == false)
  }

  @Test(arguments: ["mira:", "mira:\u{301}", "mira\u{0D4E}:x"])
  func `a user name with a colon is never sent, because it would end before the colon`(name: String)
    async throws
  {
    var (visit, host) = try await visit(
      ["basicAuthn": true, "basicAuthnUsername": "${username}", "basicAuthnPassword": "secret"],
      state: JourneyState(username: name))
    #expect(try await visit.evaluate() == .outcome("ERROR"))
    #expect(host.requests.withLock { $0.isEmpty } && visit.reasons.first?.contains("colon") == true)
  }

  @Test func `without leave of the operator no request is sent`() async throws {
    var services = try await World().services
    services.scripts = ScriptServices(workers: ScriptWorkers(program: nil))
    let maker = try #require(NodeLibrary.registry(services: services).maker(for: "RESTNode"))
    var visit = Visit(
      node: try maker(
        NodeDefinition(id: "n", type: "RESTNode", properties: ["restURL": "https://a.example/"])),
      request: RequestFacts(realm: "alpha"), state: JourneyState())
    #expect(try await visit.evaluate() == .outcome("ERROR"))
    #expect(visit.reasons.first?.contains("--script-host") == true)
  }

  // MARK: Properties

  static let wrong: [(String, JSONValue)] = [
    ("restURL", ""), ("restURL", "${address}"), ("restURL", "https://${host}/x"),
    ("restURL", "https://a.example${x}"),
    ("restURL", "https://a.example:8${x}/"), ("restURL", "file:///etc/passwd"),
    ("restURL", "https://u@a.example/"),
    ("restURL", "https://a.example/x#${y}"), ("restURL", "https://a.example/${x"),
    ("restURL", "https://a.example/${}"),
    ("restURL", "https://a.example/${x.$..y}"), ("restURL", ["a"]), ("requestMode", "CONNECT"),
    ("bodyType", "YAML"), ("headersMap", ["a": ["b"]]), ("headersMap", "a"), ("responseCodes", [true]),
    ("jpToSSMapper", ["a": "$.*"]), ("jpToSSMapper", ["a": "a.b"]), ("jpToSSMapper", ["": "$.a"]),
    ("jpToSSMapper", ["sealring.evidence": "$.a"]), ("statusCodeReturn", "Transaction.REQUEST"),
    ("jpToOutcomeMapper", ["a": "$[?(@.x)]"]), ("usemTLS", true), ("basicAuthn", true),
  ]

  @Test(arguments: wrong) func `a property with which the node cannot do its work is named`(
    name: String, value: JSONValue
  )
    async throws
  {
    let error = await #expect(throws: JourneyFileError.self) { _ = try await visit([name: value]) }
    #expect(error?.property == name)
  }

  @Test func `certificates are checked whatever the export says, and unknown properties are named`()
    async throws
  {
    var services = try await World().services
    services.scripts = ScriptServices(workers: ScriptWorkers(program: nil))
    var catalog = JourneyCatalog(registry: NodeLibrary.registry(services: services))
    let file: JSONObject = [
      "nodes": [
        "n": [
          "_id": "n", "_type": ["_id": "RESTNode"], "restURL": "https://a.example/",
          "disableCertChecks": true,
          "timeout": 300, "proxyHost": "b.example",
        ]
      ],
      "tree": [
        "_id": "J", "entryNodeId": "n", "nodes": ["n": ["connections": [:], "nodeType": "RESTNode"]],
      ],
    ]
    try catalog.load(file.serialized, realm: "alpha", source: "t")
    let warnings = catalog.warnings.filter { $0.kind != .unconnectedOutcome }
    #expect(warnings.map(\.kind) == [.configuration, .replacedValue, .replacedValue])
    #expect(warnings[0].problem.contains("proxyHost"))
    #expect(Set(warnings.compactMap(\.property)) == ["disableCertChecks", "timeout"])
    #expect(warnings.contains { $0.remedy == "They are checked all the same." })
  }

  @Test(
    arguments: [
      ("$", #"{"a":{"b":[1,{"c d":"x"}]}}"#), ("$.a.b[0]", "1"), ("$['a'].b[1]['c d']", "\"x\""),
      ("$[\"a\"].b[2]", nil), ("$.a.x", nil), ("$.a[0]", nil), ("$.a.b.c", nil),
    ] as [(String, String?)])
  func `a path names one place`(path: String, found: String?) throws {
    let value = try JSONValue(parsing: #"{"a": {"b": [1, {"c d": "x"}]}}"#)
    #expect(try #require(JSONPath(path)).value(in: value)?.text == found)
  }

  @Test(arguments: [
    "", "a", "$a", "$.", "$..a", "$.a.", "$.*", "$[*]", "$[", "$[]", "$[-1]", "$['a", "$['a'", "$[1:2]",
    "$[?(@.a)]", "$.a b",
    "$[1234567]", "$['a\\'']", "$" + String(repeating: ".a", count: 33),
    "$." + String(repeating: "a", count: 1100),
  ])
  func `what names no place, or several, is not read`(path: String) { #expect(JSONPath(path) == nil) }
}
