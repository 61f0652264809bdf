import AuthorizationPolicies
import Foundation
import StrictJSON
import Testing

@Suite struct ConditionTests {
  /// What a condition says at noon, from 192.0.2.7, for mira; `nil` for a condition that does not hold.
  @Test(
    arguments: [
      (#"{"type":"SimpleTime","startTime":"08:00","endTime":"17:00"}"#, true),
      (#"{"type":"SimpleTime","startTime":"12:00","endTime":"12:00"}"#, true),
      (#"{"type":"SimpleTime","startTime":"12:01","endTime":"17:00"}"#, nil),
      (#"{"type":"SimpleTime","startTime":"22:00","endTime":"06:00"}"#, nil),
      (#"{"type":"SimpleTime","startTime":"11:00","endTime":"02:00"}"#, true),
      (
        #"{"type":"SimpleTime","startTime":"13:00","endTime":"13:30","enforcementTimeZone":"Europe/Paris"}"#,
        true
      ),
      (#"{"type":"SimpleTime","startDay":"mon","endDay":"fri"}"#, true),
      (#"{"type":"SimpleTime","startDay":"sat","endDay":"sun"}"#, nil),
      (#"{"type":"SimpleTime","startDay":"fri","endDay":"tue"}"#, true),
      (#"{"type":"SimpleTime","startDate":"2026:11:24","endDate":"2026:11:24"}"#, true),
      (#"{"type":"SimpleTime","startDate":"2026:11:25","endDate":"2027:01:01"}"#, nil),
      (#"{"type":"IPv4","startIp":"192.0.2.0","endIp":"192.0.2.255"}"#, true),
      (#"{"type":"IPv4","startIp":"192.0.2.8","endIp":"192.0.2.255"}"#, nil),
      (#"{"type":"IPv6","startIp":"2001:db8::","endIp":"2001:db8::ffff"}"#, nil),
      (#"{"type":"AuthLevel","authLevel":1}"#, nil), (#"{"type":"AuthLevel","authLevel":0}"#, true),
      (#"{"type":"LEAuthLevel","authLevel":1}"#, true),
      (#"{"type":"OAuth2Scope","requiredScopes":["mail"]}"#, nil),
      (#"{"type":"LDAPFilter","ldapFilter":"(mail=*@EXAMPLE.com)"}"#, true),
      (#"{"type":"LDAPFilter","ldapFilter":"(&(age>=40)(!(age>=100)))"}"#, true),
      (#"{"type":"LDAPFilter","ldapFilter":"(|(uid=mira)(uid=nobody))"}"#, true),
      (#"{"type":"LDAPFilter","ldapFilter":"(roles=buyer)"}"#, true),
      (#"{"type":"LDAPFilter","ldapFilter":"(roles=b*y*r)"}"#, true),
      (#"{"type":"LDAPFilter","ldapFilter":"(roles=b*y*y*r)"}"#, nil),
      (#"{"type":"LDAPFilter","ldapFilter":"(sn=*)"}"#, nil),
      (#"{"type":"LDAPFilter","ldapFilter":"(mail=mira\\40example.com)"}"#, true),
      (#"{"type":"NOT","condition":{"type":"AuthLevel","authLevel":1}}"#, true),
      (
        #"{"type":"AND","conditions":[{"type":"AuthLevel","authLevel":0},{"type":"LEAuthLevel","authLevel":0}]}"#,
        true
      ),
      (
        #"{"type":"OR","conditions":[{"type":"AuthLevel","authLevel":9},{"type":"LEAuthLevel","authLevel":0}]}"#,
        true
      ),
    ] as [(String, Bool?)])
  func `a condition decides`(condition: String, answer: Bool?) throws {
    #expect(try Policies.answer(["condition": try JSONValue(parsing: condition)]) == answer)
  }

  @Test func `the caller's environment says where a request came from, and which scopes it has`() throws {
    let block: JSONObject = ["condition": ["type": "IPv4", "startIp": "10.0.0.1", "endIp": "10.0.0.9"]]
    for name in ["IP", "requestIp"] {
      #expect(try Policies.answer(block, Policies.request(environment: [name: ["10.0.0.3"]])) == true)
    }
    #expect(try Policies.answer(block, Policies.request(environment: ["IP": ["::ffff:10.0.0.3"]])) == true)
    let hosts: JSONObject = ["condition": ["type": "IPv4", "dnsName": ["*.example.com"]]]
    func host(_ name: String) -> PolicyRequest { Policies.request(environment: ["requestDnsName": [name]]) }
    #expect(try Policies.answer(hosts, host("a.example.com")) == true)
    #expect(try Policies.answer(hosts, host("a.example.org")) == nil)
    let scopes: JSONObject = ["condition": ["type": "OAuth2Scope", "requiredScopes": ["mail", "profile"]]]
    #expect(try Policies.answer(scopes, Policies.request(environment: ["scope": ["mail profile x"]])) == true)
    #expect(try Policies.answer(scopes, Policies.request(environment: ["scope": ["mail", "x"]])) == nil)
  }

  @Test func `a session's level, age and properties decide`() throws {
    func answer(_ condition: JSONValue, _ session: PolicyRequest.Requester) throws -> Bool? {
      try Policies.answer(["condition": condition], Policies.request(["a"], session))
    }
    let level: JSONValue = ["type": "AuthLevel", "authLevel": 2]
    #expect(try answer(level, Policies.session(level: 2)) == true)
    #expect(try answer(level, Policies.session(level: 1)) == nil)
    let age: JSONValue = ["type": "Session", "maxSessionTime": 5, "terminateSession": false]
    #expect(try answer(age, Policies.session(age: 299)) == true)
    #expect(try answer(age, Policies.session(age: 300)) == nil)
    func plan(_ ignoresCase: Bool) -> JSONValue {
      ["type": "SessionProperty", "properties": ["plan": ["Gold"]], "ignoreValueCase": .bool(ignoresCase)]
    }
    #expect(try answer(plan(true), Policies.session(["plan": "gold"])) == true)
    #expect(try answer(plan(false), Policies.session(["plan": "gold"])) == nil)
    #expect(try answer(plan(true), Policies.session()) == nil)
  }

  @Test(
    arguments: [
      #"{"type":"Script","scriptId":"x"}"#, #"{"type":"NOT","condition":{"type":"Script"}}"#,
      #"{"type":"AND","conditions":[{"type":"Script"},{"type":"AuthLevel","authLevel":0}]}"#,
      // What nobody said is not known either, and "not" does not make it so.
      #"{"type":"NOT","condition":{"type":"Session","maxSessionTime":5}}"#,
      #"{"type":"NOT","condition":{"type":"SessionProperty","properties":{"a":["b"]}}}"#,
      #"{"type":"NOT","condition":{"type":"IPv4","startIp":"192.0.2.7","endIp":"192.0.2.7"}}"#,
      #"{"type":"NOT","condition":{"type":"IPv4","dnsName":["evil.example.com"]}}"#,
    ])
  func `what cannot be decided denies, whatever stands around it`(condition: String) throws {
    let members: JSONObject = ["condition": try JSONValue(parsing: condition)]
    let request = Policies.request(address: "")
    #expect(try Policies.answer(members, request) == false)
    // So does a denial of which it is not known whether it counts.
    var denial = Policies.policy(members)
    denial["actionValues"] = ["GET": false]
    #expect(try Policies(denial, Policies.policy()).decide(request).actions == ["GET": false])
    #expect(try Policies(Policies.policy(), denial).decide(request).actions == ["GET": false])
  }

  @Test func `a part that decides by itself needs no other`() throws {
    let failing = #"{"type":"AND","conditions":[{"type":"Script"},{"type":"AuthLevel","authLevel":9}]}"#
    let holding = #"{"type":"OR","conditions":[{"type":"Script"},{"type":"AuthLevel","authLevel":0}]}"#
    #expect(try Policies.answer(["condition": try JSONValue(parsing: failing)]) == nil)
    #expect(try Policies.answer(["condition": try JSONValue(parsing: holding)]) == true)
  }
}
