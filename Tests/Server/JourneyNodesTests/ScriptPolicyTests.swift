import AuthorizationPolicies
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

/// `policy` in scripts, with real workers.
@Suite struct ScriptPolicyTests {
  private static let program = BuiltProgram.path("ScriptHost")

  private static let policies = """
    {"policyset": {"shop": {"name": "shop"}},
     "policy": {
      "read": {"name": "read", "applicationName": "shop", "resources": ["https://shop.example.com/*"],
        "actionValues": {"GET": true}, "subject": {"type": "AuthenticatedUsers"}},
      "pay": {"name": "pay", "applicationName": "shop", "resources": ["https://shop.example.com/pay"],
        "actionValues": {"POST": true}, "subject": {"type": "JwtClaim", "claimName": "role", "claimValue": "buyer"},
        "condition": {"type": "AND", "conditions": [{"type": "AuthLevel", "authLevel": 2},
          {"type": "IPv4", "startIp": "192.0.2.0", "endIp": "192.0.2.255"}]}},
      "session": {"name": "session", "applicationName": "shop", "resources": ["https://shop.example.com/gold"],
        "actionValues": {"PUT": true}, "subject": {"type": "AuthenticatedUsers"},
        "condition": {"type": "SessionProperty", "properties": {"plan": ["gold"]}}}}}
    """

  private func services(_ people: PeopleInMemory = PeopleInMemory()) async throws -> NodeServices {
    var services = try await World().services
    var scripts = ScriptServices(workers: ScriptWorkers(program: Self.program))
    scripts.identities = people
    let policies = try RealmPolicies([("shop.authz.json", Array(Self.policies.utf8))])
    scripts.policies = { $0 == "alpha" ? policies : RealmPolicies() }
    services.scripts = scripts
    return services
  }

  private func run(_ source: String, _ services: NodeServices, realm: String = "alpha") async throws
    -> JSONValue?
  {
    let script = JourneyScript(id: "s", name: "Decide", source: source, evaluatorVersion: "2.0")
    let node = ScriptedDecisionNode(
      script, libraries: [:], outcomes: ["true"], takesAnyOutcome: false, services: services)
    var context = NodeContext(
      nodeID: "n", request: RequestFacts(realm: realm, clientAddress: "192.0.2.7"), state: JourneyState())
    guard try await node.evaluate(&context) == .outcome("true") else { return nil }
    return context.state.shared["found"]
  }

  /// What `policy.evaluate` answers, or why it does not.
  private func answer(_ arguments: String, _ services: NodeServices, realm: String = "alpha") async throws
    -> JSONValue?
  {
    try await run(
      """
      let found;
      try { found = policy.evaluate(\(arguments)); } catch (error) { found = String(error.message ?? error); }
      nodeState.putShared("found", found);
      action.goTo("true");
      """, services, realm: realm)
  }

  @Test func `a script gets a decision for each resource, and reads it as the platform's scripts do`()
    async throws
  {
    let services = try await services()
    let found = try await run(
      """
      const decisions = policy.evaluate(
        { claims: { sub: "ada", role: ["buyer"] } }, "shop",
        ["https://shop.example.com/pay", "https://evil.example.com/pay"], { scope: "mail", IP: ["192.0.2.9"] });
      nodeState.putShared("found", [
        decisions.length, decisions.get(0).get("resource"), decisions[0].actions.get("GET"),
        decisions[0].actions.POST === undefined, decisions[0].advices, decisions[1].actions, decisions[1].attributes,
        decisions[0].ttl > Date.now()]);
      action.goTo("true");
      """, services)
    #expect(
      found == [
        2, "https://shop.example.com/pay", true, true, ["AuthLevelConditionAdvice": ["2"]], [:], [:], true,
      ])
  }

  @Test(
    arguments: [
      "'ada'", "{claims: {sub: 'ada'}}", "idRepository.getIdentity('ada')",
      "'id=ada,ou=user,o=alpha,ou=services,ou=am-config'",
    ])
  func `a person is named in several ways`(subject: String) async throws {
    let found = try await answer("\(subject), 'shop', 'https://shop.example.com/a', {}", try await services())
    #expect(found?[0]?["actions"] == ["GET": true])
  }

  @Test(
    arguments: [
      "'ghost'", "{claims: {sub: 'ghost'}}", "{claims: {}}", "{claims: {sub: 7}}",
      "{ssoToken: 'sst_made-up'}",
      "{ssoToken: 7}",
    ])
  func `who is nobody gets nothing`(subject: String) async throws {
    let found = try await answer(
      "\(subject), 'shop', ['https://shop.example.com/a'], {}", try await services())
    #expect(found?[0]?["actions"] == [:])
  }

  @Test func `an inactive account gets nothing`() async throws {
    let people = PeopleInMemory()
    people.records.withLock { $0["1"]?["accountStatus"] = "inactive" }
    let found = try await answer(
      "'ada', 'shop', ['https://shop.example.com/a'], {}", try await services(people))
    #expect(found?[0]?["actions"] == [:])
  }

  @Test(
    arguments: [
      ("{jwt: 'a.b.c'}, 'shop', ['a'], {}", "jwtValidator"), ("{}, 'shop', ['a'], {}", "subject"),
      ("null, 'shop', ['a'], {}", "subject"), ("{claims: {}, ssoToken: 'x'}, 'shop', ['a'], {}", "one of"),
      ("'ada', 'other', ['a'], {}", "policy set"), ("'ada', null, ['a'], {}", "iPlanetAMWebAgentService"),
      ("'ada', 'shop', [], {}", "resources"), ("'ada', 'shop'", "resources"),
      ("'ada', 'shop', ['a'.repeat(3000)], {}", "resources"),
      ("'ada', 'shop', Array(101).fill('a'), {}", "resources"),
      ("'ada', 'shop', ['a'], {IP: Array(300).fill('a')}", "environment"),
      ("{claims: {a: 'x'.repeat(20000)}}, 'shop', ['a'], {}", "claims"),
    ])
  func `what cannot be evaluated is an error that says why`(arguments: String, reason: String) async throws {
    let found = try await answer(arguments, try await services())
    #expect(found?.stringValue?.contains(reason) == true, "\(found?.text ?? "")")
  }

  @Test func `a session counts in its own realm, while it lives`() async throws {
    let services = try await services()
    let now = services.clock()
    let token = "sst_0123456789"
    let record = SessionRecord(
      tokenHash: Array(SHA256.hash(data: Array(token.utf8))), handle: "shandle:a", realm: "alpha",
      username: "mira", createdAt: now, latestAccess: now, maximumIdle: 1800,
      expiresAt: now.addingTimeInterval(7200), properties: ["plan": "gold"], authLevel: 2, service: "Login",
      authenticatedAt: now)
    _ = try await services.store.openSession(NewSession(record, now: now), by: nil)
    let people = services.scripts?.identities as? PeopleInMemory
    people?.records.withLock { $0["1"]?["userName"] = "mira" }
    let arguments = "{ssoToken: '\(token)'}, 'shop', ['https://shop.example.com/gold'], {}"
    #expect(try await answer(arguments, services)?[0]?["actions"] == ["GET": true, "PUT": true])
    let elsewhere = try await answer(arguments, services, realm: "root")
    #expect(elsewhere?.stringValue?.contains("policy set") == true)
    var other = services
    let policies = try #require(services.scripts?.policies("alpha"))
    other.scripts?.policies = { _ in policies }
    #expect(try await answer(arguments, other, realm: "root")?[0]?["actions"] == [:])
  }

  @Test
  func
    `a run that evaluates without end is stopped by what its policies may cost, and not by the server's patience`()
    async throws
  {
    var services = try await services()
    let slow = String(repeating: "a*", count: 15)
    let policies = JSONValue.object([
      "policy": .object(
        JSONObject(
          (0..<100).map { number in
            (
              "p\(number)",
              [
                "applicationName": "shop", "resources": [.string(slow + "b")], "actionValues": ["GET": true],
                "subject": ["type": "AuthenticatedUsers"],
              ]
            )
          }))
    ])
    let realm = try RealmPolicies([("slow.authz.json", Array(policies.text.utf8))])
    services.scripts?.policies = { _ in realm }
    let found = try await run(
      """
      let count = 0;
      try { for (;;) { policy.evaluate("ada", "shop", ["a".repeat(2000)], {}); count++; } } catch (error) {
        nodeState.putShared("found", [count < 1000, String(error.message ?? error)]);
      }
      action.goTo("true");
      """, services)
    #expect(found?[0] == true && found?[1]?.stringValue?.contains("costs more") == true)
  }
}
