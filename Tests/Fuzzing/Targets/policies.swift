import AuthorizationPolicies
import Foundation
import StrictJSON

extension FuzzTarget {
  /// Policies, their filters and patterns are read or refused; what is read decides within its budget, and the same each time.
  static let policies = FuzzTarget(text: { text in
    _ = try? LDAPFilter(parsing: text)
    var files: [[UInt8]] = [Array(text.utf8)]
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.count == 3 {
      // A pattern, a resource and a filter.
      let policy: JSONObject = [
        "name": "p", "applicationName": "a", "resources": [.string(lines[0])], "actionValues": ["GET": true],
        "subject": ["type": "AuthenticatedUsers"],
        "condition": ["type": "NOT", "condition": ["type": "LDAPFilter", "ldapFilter": .string(lines[2])]],
      ]
      files.append(Array(JSONValue.object(policy).text.utf8))
    }
    for file in files {
      guard let policies = try? RealmPolicies([("fuzz.authz.json", file)]) else { continue }
      let request = PolicyRequest(
        requester: PolicyRequest.Requester(
          account: ["_id": "1", "userName": "ada", "mail": "ada@example.com", "n": 7], claims: ["iss": "x"]),
        application: "a", resources: ["https://a.example/b?c=d", lines.count == 3 ? lines[1] : "aaaa"],
        environment: ["IP": ["192.0.2.1"], "scope": ["mail"]], realm: "alpha",
        now: Date(timeIntervalSince1970: 1_800_000_000))
      var (one, other) = (PolicyBudget(), PolicyBudget())
      let first = try? policies.evaluate(request, &one)
      let second = try? policies.evaluate(request, &other)
      expect(first == second, "a decision changes")
      expect(one.left == other.left, "a decision costs another amount")
    }
  })
}
