import AuthorizationPolicies
import StrictJSON
import Testing

@Suite struct ResourceTests {
  @Test(
    arguments: [
      ("https://a.example.com:443/x", "https://a.example.com/x", true),
      ("https://a.example.com/x", "https://a.example.com:443/x/", true),
      ("http://a.example.com/x", "https://a.example.com/x", false),
      ("https://a.example.com/*", "https://a.example.com/", true),
      ("https://a.example.com/*", "https://a.example.com", true),
      ("https://a.example.com/*", "https://a.example.com/b/c/d", true),
      ("https://a.example.com/*", "https://a.example.com.evil.example/b", false),
      ("https://a.example.com/*", "https://a.example.com/b?c=d", false),
      ("https://a.example.com/*?*", "https://a.example.com/b?c=d", true),
      ("https://a.example.com/admin/*", "https://a.example.com/admin", true),
      ("https://a.example.com/admin/*", "https://a.example.com/administrators", false),
      ("https://a.example.com/-*-", "https://a.example.com/b", true),
      ("https://a.example.com/-*-", "https://a.example.com/b/c", false),
      ("https://a.example.com/-*-/c", "https://a.example.com/b/c", true),
      ("https://a.example.com/-*-/c", "https://a.example.com/b/b/c", false),
      ("*://*:*/*", "https://a.example.com:8443/b", true),
      ("*://*.example.com:443/*", "https://a.example.com/b", true),
      ("*://*.example.com:443/*", "https://example.com/b", false),
      ("https://A.example.com/Admin/*", "https://a.EXAMPLE.com/ADMIN/x", true),
      ("urn:orders:*:read", "urn:orders:17:read", true), ("urn:orders:*:read", "urn:orders:17:write", false),
      ("a*b*c", "a-b-b-c", true), ("a*b*c", "a-c-b", false), ("a**c", "abc", true), ("*", "", false),
      ("https://[2001:db8::1]/x", "https://[2001:db8::1]:443/x", true),
      ("https://a.example.com:443/*", "https://a.example.com/\u{301}b", true),
    ])
  func `a pattern fits what the platform's fits`(pattern: String, resource: String, fits: Bool) throws {
    let policies = try Policies(Policies.policy(["resources": [.string(pattern)]]))
    guard !resource.isEmpty else {
      #expect(throws: PolicyRequestError.self) { try policies.decide(Policies.request([resource])) }
      return
    }
    #expect(try policies.decide(Policies.request([resource])).actions == (fits ? ["GET": true] : [:]))
  }

  @Test func `a pattern made to be slow costs the product of the lengths, and no more than the budget`()
    throws
  {
    let slow = String(repeating: "a*", count: 16) + "b"
    let policies = try Policies(
      Policies.policy(["resources": .array(Array(repeating: .string(slow), count: 50))]))
    var budget = PolicyBudget()
    let one = String(repeating: "a", count: 2000)
    _ = try policies.realm.evaluate(Policies.request([one]), &budget)
    let cost = PolicyBudget().left - budget.left
    #expect(cost < 50 * 2001 * 40)
    #expect(throws: PolicyRequestError.self) {
      var budget = PolicyBudget()
      _ = try policies.realm.evaluate(Policies.request(Array(repeating: one, count: 100)), &budget)
    }
  }

  @Test func `a request has 1 to 100 resources of at most 2048 bytes, and a policy set that there is`() throws
  {
    let policies = try Policies(Policies.policy())
    for resources in [[], Array(repeating: "a", count: 101), [String(repeating: "a", count: 2049)]] {
      #expect(throws: PolicyRequestError.self) { try policies.decide(Policies.request(resources)) }
    }
    var other = Policies.request()
    other.application = "others"
    #expect(throws: PolicyRequestError.self) { try policies.decide(other) }
  }
}
