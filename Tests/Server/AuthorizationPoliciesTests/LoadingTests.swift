import AuthorizationPolicies
import StrictJSON
import Testing

@Suite struct LoadingTests {
  private func load(_ text: String) throws -> RealmPolicies {
    try RealmPolicies([("shop.policyset.authz.json", Array(text.utf8))])
  }

  private func fault(_ members: JSONObject) throws -> String {
    do { _ = try Policies(Policies.policy(members)) } catch let error as PolicyFileError {
      return error.description
    }
    Issue.record("loads")
    return ""
  }

  @Test(
    arguments: [
      (#"{"resources":[]}"#, "resources: must have at least one pattern"),
      (#"{"resources":"*"}"#, "resources: must be a list of at most 200 texts"),
      (#"{"resources":["ok",""]}"#, "resources[1]: must have from 1 to 2048 bytes"),
      (
        #"{"resources":["a*b*c*d*e*f*g*h*i*j*k*l*m*n*o*p*q*r"]}"#,
        "resources[0]: must have at most 16 wildcards"
      ),
      (#"{"actionValues":{"GET":"yes"}}"#, "actionValues.GET: must be true or false"),
      (#"{"actionValues":null}"#, "actionValues: must be an object"),
      (#"{"applicationName":7}"#, "applicationName: must be a text of at most 2048 bytes"),
      (#"{"active":"true"}"#, "active: must be true or false"),
      (#"{"subject":{}}"#, "subject.type: is missing"),
      (
        #"{"subject":{"type":"Identity","subjectValues":[]}}"#,
        "subject.subjectValues: must name at least one identity"
      ),
      (#"{"subject":{"type":"OR","subjects":[]}}"#, "subject.subjects: must not be empty"),
      (#"{"subject":{"type":"NOT"}}"#, "subject.subject: must be an object"),
      (
        #"{"condition":{"type":"AND","conditions":[{"type":"AuthLevel","authLevel":1},{"type":"SimpleTime","startTime":"8"}]}}"#,
        #"condition.conditions[1].startTime: "8" must have the form 17:30"#
      ),
      (
        #"{"condition":{"type":"SimpleTime","startTime":"08:00"}}"#,
        "condition.endTime: is missing, although startTime is given"
      ),
      (
        #"{"condition":{"type":"SimpleTime"}}"#,
        "condition.startTime: is missing; give times, days or dates, each with its end"
      ),
      (
        #"{"condition":{"type":"SimpleTime","startDay":"mon","endDay":"fri","enforcementTimeZone":"Mars/Olympus"}}"#,
        #"condition.enforcementTimeZone: "Mars/Olympus" is not a time zone such as Europe/Paris"#
      ),
      (
        #"{"condition":{"type":"IPv4","startIp":"::1"}}"#, #"condition.startIp: "::1" is not an IPv4 address"#
      ),
      (
        #"{"condition":{"type":"IPv4","startIp":"10.0.0.9","endIp":"10.0.0.1"}}"#,
        "condition.endIp: comes before startIp"
      ),
      (
        #"{"condition":{"type":"IPv4","startIp":"10.0.0.1","ipRange":["x"]}}"#,
        "condition.ipRange: is not read; use startIp and endIp, in several conditions if needed"
      ),
      (#"{"condition":{"type":"AuthLevel"}}"#, "condition.authLevel: must be a number from 0 to 1000000000"),
      (
        #"{"condition":{"type":"SessionProperty","properties":{"a":[]}}}"#,
        "condition.properties: must name at least one property, each with its values in a list"
      ),
      (
        #"{"condition":{"type":"LDAPFilter","ldapFilter":"(mail=*"}}"#,
        #"condition.ldapFilter: ends without ")""#
      ),
      (
        #"{"condition":{"type":"LDAPFilter","ldapFilter":"(&(a=ä)b)"}}"#,
        #"condition.ldapFilter: needs ")" at character 8"#
      ),
      (
        #"{"condition":{"type":"LDAPFilter","ldapFilter":"(!a=b)"}}"#,
        #"condition.ldapFilter: needs "(" at character 3"#
      ),
      (
        #"{"condition":{"type":"LDAPFilter","ldapFilter":"(mail:2.5.13.2:=x)"}}"#,
        "condition.ldapFilter: needs =, >=, <= or ~= after mail; extended matches are not read"
      ),
      (
        #"{"condition":{"type":"LDAPFilter","ldapFilter":"(a=\\zz)"}}"#,
        "condition.ldapFilter: has a backslash without two hexadecimal digits"
      ),
    ])
  func `what is wrong is named with file, policy and property`(members: String, problem: String) throws {
    #expect(
      try fault(try JSONObject(parsing: Array(members.utf8)))
        == #"orders.authz.json: policy "p0": \#(problem)"#)
  }

  @Test(
    arguments: [
      "", "PK\u{3}\u{4}", "[]", "{}", #"{"tree":{},"nodes":{}}"#, #"{"policy":[]}"#, #"{"policy":{"a":1}}"#,
      #"{"result":{}}"#, #"{"result":[{"actionValues":{}}]}"#,
    ])
  func `a file that has no policies is refused`(text: String) throws {
    let error = try #require(throws: PolicyFileError.self) { try load(text) }
    #expect(error.file == "shop.policyset.authz.json")
  }

  @Test func `deep and large policies are refused`() throws {
    var deep: JSONValue = ["type": "NONE"]
    for _ in 0..<17 { deep = ["type": "NOT", "subject": deep] }
    #expect(try fault(["subject": deep]).hasSuffix("nests deeper than 16"))
    let wide = JSONValue.array(Array(repeating: ["type": "NONE"], count: 200))
    #expect(
      try fault(["subject": ["type": "OR", "subjects": wide]])
        .hasSuffix("the policy has more than 200 subjects and conditions"))
    let many = (0...1000).map { index in
      JSONValue.object(Policies.policy(["name": .string("p\(index)")]))
    }
    #expect(throws: PolicyFileError.self) {
      try load(JSONValue.object(["result": .array(many)]).text)
    }
    let filter = String(repeating: "(!", count: 20) + "(a=b)" + String(repeating: ")", count: 20)
    #expect(
      try fault(["condition": ["type": "LDAPFilter", "ldapFilter": .string(filter)]])
        .hasSuffix("nests deeper than 16"))
  }

  @Test func `a list as the REST interface answers it loads, and so does one policy`() throws {
    let policy = JSONValue.object(Policies.policy(["name": "one"]))
    let set: JSONValue = ["name": "empty", "applicationType": "iPlanetAMWebAgentService"]
    let list = try load(JSONValue.object(["result": [policy, set]]).text)
    #expect(list.count == 1)
    var budget = PolicyBudget()
    #expect(try list.evaluate(Policies.request(), &budget).first?.actions == ["GET": true])
    var empty = Policies.request()
    empty.application = "empty"
    #expect(try list.evaluate(empty, &budget).first?.actions == [:])
    #expect(try load(policy.text).count == 1)
  }

  @Test func `two policies of one name in a realm are refused, and both files are named`() throws {
    let bytes = Array(JSONValue.object(Policies.policy(["name": "one"])).text.utf8)
    let error = try #require(throws: PolicyFileError.self) {
      try RealmPolicies([("a.authz.json", bytes), ("b.authz.json", bytes)])
    }
    #expect(
      error.description
        == #"b.authz.json: policy "one": name: is also the name of a policy in a.authz.json; names must be unique in a realm"#
    )
  }

  @Test func `what this version does not have is told`() throws {
    let policies = try Policies(
      Policies.policy([
        "subject": ["type": "Identity", "subjectValues": ["id=staff,ou=group,o=alpha"]],
        "condition": ["type": "NOT", "condition": ["type": "Script", "scriptId": "x"]], "actionValues": [:],
        "resourceAttributes": [["type": "Script", "propertyName": "x"]],
      ]))
    #expect(
      policies.realm.warnings.map(\.property) == [
        "resourceAttributes[0].type", "subject.subjectValues", "condition.condition.type", "actionValues",
      ])
    #expect(policies.realm.warnings.map(\.policy) == ["p0", "p0", "p0", "p0"])
  }
}
