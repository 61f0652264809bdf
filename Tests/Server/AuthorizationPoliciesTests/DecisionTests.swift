import AuthorizationPolicies
import Foundation
import StrictJSON
import Testing

@Suite struct DecisionTests {
  private static let miraID = "id=mira,ou=user,o=alpha,ou=services,ou=am-config"

  @Test(
    arguments: [
      (#"{"type":"AuthenticatedUsers"}"#, true), (#"{"type":"NONE"}"#, nil),
      (#"{"type":"NOT","subject":{"type":"NONE"}}"#, true),
      (#"{"type":"Identity","subjectValues":["id=mira,ou=user,o=alpha,ou=services,ou=am-config"]}"#, true),
      (#"{"type":"Identity","subjectValues":["id=f00d,ou=user,o=alpha,ou=services,ou=am-config"]}"#, true),
      (#"{"type":"Identity","subjectValues":["id=ada,ou=user,o=alpha,ou=services,ou=am-config"]}"#, nil),
      // Another realm's account of the same name.
      (#"{"type":"Identity","subjectValues":["id=mira,ou=user,o=bravo,ou=services,ou=am-config"]}"#, nil),
      // A group, which nobody is known to be in or not to be in.
      (#"{"type":"Identity","subjectValues":["id=staff,ou=group,o=alpha,ou=services,ou=am-config"]}"#, false),
      (#"{"type":"JwtClaim","claimName":"iss","claimValue":"https://op.example.com"}"#, true),
      (#"{"type":"JwtClaim","claimName":"aud","claimValue":"b"}"#, true),
      (#"{"type":"JwtClaim","claimName":"iss","claimValue":"https://other.example.com"}"#, nil),
      (
        #"{"type":"AND","subjects":[{"type":"AuthenticatedUsers"},{"type":"JwtClaim","claimName":"aud","claimValue":"a"}]}"#,
        true
      ), (#"{"type":"OR","subjects":[{"type":"NONE"},{"type":"AuthenticatedUsers"}]}"#, true),
      (#"{"type":"Policy"}"#, false), (#"{"type":"NOT","subject":{"type":"Policy"}}"#, false),
    ] as [(String, Bool?)])
  func `a subject decides`(subject: String, answer: Bool?) throws {
    let requester = PolicyRequest.Requester(
      account: Policies.mira, claims: ["iss": "https://op.example.com", "aud": ["a", "b"]])
    #expect(
      try Policies.answer(["subject": try JSONValue(parsing: subject)], Policies.request(["a"], requester))
        == answer)
  }

  @Test func `nobody is authenticated without an account, and a policy without a subject is about nobody`()
    throws
  {
    let nobody = Policies.request(["a"], PolicyRequest.Requester(claims: ["sub": "ghost"]))
    #expect(try Policies.answer([:], nobody) == nil)
    #expect(try Policies.answer(["subject": .null]) == nil)
  }

  @Test func `what one policy denies is denied, and what none speaks of is neither`() throws {
    let reads = Policies.policy(["actionValues": ["GET": true, "POST": true]])
    let denies = Policies.policy(["actionValues": ["POST": false]])
    for policies in [try Policies(reads, denies), try Policies(denies, reads)] {
      #expect(try policies.decide().actions == ["GET": true, "POST": false])
    }
    #expect(try Policies(reads).decide().actions["DELETE"] == nil)
    #expect(try Policies().decide().actions.isEmpty)
  }

  @Test func `an inactive policy says nothing, and policies of other sets say nothing`() throws {
    #expect(try Policies.answer(["active": false]) == nil)
    #expect(try Policies.answer(["applicationName": "others"]) == nil)
  }

  @Test func `the answer has attributes, advices and a time, one for each resource in its order`() throws {
    let told = Policies.policy([
      "resources": ["a", "b"],
      "resourceAttributes": [
        ["type": "Static", "propertyName": "limit", "propertyValues": ["100"]],
        ["type": "User", "propertyName": "mail", "propertyValues": []],
        ["type": "User", "propertyName": "nothing"],
      ],
    ])
    let level = Policies.policy([
      "resources": ["b"], "actionValues": ["POST": true], "condition": ["type": "AuthLevel", "authLevel": 3],
    ])
    let hours = Policies.policy([
      "resources": ["c"], "condition": ["type": "SimpleTime", "startTime": "08:00", "endTime": "17:00"],
    ])
    var budget = PolicyBudget()
    let now = Policies.noon.addingTimeInterval(20)
    let answer = try Policies(told, level, hours).realm.evaluate(
      Policies.request(["b", "a", "c", "d"], now: now), &budget)
    #expect(
      JSONValue.array(answer.map { .object($0.json) })
        == [
          [
            "resource": "b", "actions": ["GET": true],
            "attributes": ["limit": ["100"], "mail": ["mira@example.com"]],
            "advices": ["AuthLevelConditionAdvice": ["3"]], "ttl": .integer(.max),
          ],
          [
            "resource": "a", "actions": ["GET": true],
            "attributes": ["limit": ["100"], "mail": ["mira@example.com"]], "advices": [:],
            "ttl": .integer(.max),
          ],
          [
            "resource": "c", "actions": ["GET": true], "attributes": [:], "advices": [:],
            "ttl": .integer(Int64(Policies.noon.timeIntervalSince1970 + 60) * 1000),
          ], ["resource": "d", "actions": [:], "attributes": [:], "advices": [:], "ttl": .integer(.max)],
        ])
  }

  @Test func `what a condition inside NOT would advise is not advised`() throws {
    let policy = Policies.policy([
      "condition": [
        "type": "AND",
        "conditions": [
          ["type": "NOT", "condition": ["type": "LEAuthLevel", "authLevel": 5]],
          ["type": "NOT", "condition": ["type": "AuthLevel", "authLevel": 7]],
        ],
      ]
    ])
    #expect(try Policies(policy).decide().advices.isEmpty)
  }
}
