import Foundation
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import Testing

@Suite("Policies")
struct CallbackPolicyTests {
  private func password(_ name: String, _ value: String) async throws -> ValidatedPasswordCallback {
    let output = #"[{"name":"\#(name)","value":\#(value)}]"#
    let body =
      #"{"authId":"a","callbacks":[{"type":"ValidatedCreatePasswordCallback","output":\#(output)}]}"#
    let step = try #require(await makeJourney(FakeServer(200, body)).start("Login") as? ContinueNode)
    return try #require(step.callbacks.first as? ValidatedPasswordCallback)
  }

  @Test func `policies are an object; a list, as old servers send it, is kept`() async throws {
    #expect(
      try await password("policies", #"{"policyRequirements":["MIN_LENGTH"]}"#).policies[
        "policyRequirements"]
        as? [String] == ["MIN_LENGTH"])
    #expect(
      try await password("policies", #"["not-empty"]"#).policies["policyRequirements"] as? [String] == [
        "not-empty"
      ])
    #expect(try await password("policies", "{}").policies.isEmpty)
  }

  @Test(
    arguments: [
      (
        #"["{ \"policyRequirement\": \"MIN_LENGTH\", \"params\": { \"minLength\": 12 } }"]"#, "MIN_LENGTH",
        12 as Int?
      ),
      (#"[{"policyRequirement":"MIN_LENGTH","params":{"minLength":12}}]"#, "MIN_LENGTH", 12),
      (#"["{\"policyRequirement\":\"UNIQUE\"}"]"#, "UNIQUE", nil),
      (#"["too short","{\"policyRequirement\":\"UNIQUE\"}",[],null]"#, "UNIQUE", nil),
    ])
  func `failed policies are JSON text or objects, and what is neither is skipped`(
    value: String, requirement: String, minimum: Int?
  ) async throws {
    let failed = try await password("failedPolicies", value).failedPolicies
    #expect(failed.map(\.policyRequirement) == [requirement])
    #expect(failed.first?.params?["minLength"] as? Int == minimum)
  }

  @Test(arguments: ["[]", #"[{}, "", 7]"#, #"["too short"]"#, #""too short""#, #"["{", "[1]", "{}"]"#])
  func `entries without a requirement are not failures`(value: String) async throws {
    #expect(try await password("failedPolicies", value).failedPolicies.isEmpty)
  }

  @Test(
    arguments: [
      ("REQUIRED", "{}", "Password is required"), ("UNIQUE", "{}", "Password must be unique"),
      ("MATCH_REGEXP", "{}", ""), ("VALID_TYPE", "{}", ""), ("VALID_QUERY_FILTER", "{}", ""),
      ("VALID_ARRAY_ITEMS", "{}", ""), ("MINIMUM_NUMBER_VALUE", "{}", ""), ("MAXIMUM_NUMBER_VALUE", "{}", ""),
      ("VALID_DATE", "{}", "Password must be a valid date"),
      ("VALID_EMAIL_ADDRESS_FORMAT", "{}", "Password must be a valid e-mail address"),
      ("VALID_NAME_FORMAT", "{}", "Password must be a valid name"),
      ("VALID_PHONE_FORMAT", "{}", "Password must be a valid phone number"),
      ("VALID_NUMBER", "{}", "Password must be a valid number"),
      ("VALID_USERNAME", "{}", "Password must be a valid user name that nobody has"),
      (
        "LENGTH_BASED", #"{"max-password-length":0,"min-password-length":8}"#,
        "Password must have at least 8 character(s)"
      ),
      (
        "LENGTH_BASED", #"{"max-password-length":64,"min-password-length":8}"#,
        "Password must have at least 8 and at most 64 character(s)"
      ), ("LENGTH_BASED", #"{"min-password-length":8}"#, "Password must have at least 8 character(s)"),
      ("AT_LEAST_X_CAPITAL_LETTERS", #"{"numCaps":2}"#, "Password must have at least 2 capital letter(s)"),
      ("AT_LEAST_X_NUMBERS", #"{"numNums":1}"#, "Password must have at least 1 digit(s)"),
      ("MIN_LENGTH", #"{"minLength":"12"}"#, "Password must have at least 12 character(s)"),
      ("MAX_LENGTH", #"{"maxLength":20}"#, "Password must have at most 20 character(s)"),
      (
        "CANNOT_CONTAIN_OTHERS", #"{"disallowedFields":["sn","mail"]}"#, "Password must not contain: sn, mail"
      ),
      (
        "CANNOT_CONTAIN_CHARACTERS", #"{"forbiddenChars":["/"]}"#,
        "Password must not contain these characters: /"
      ),
      ("CANNOT_CONTAIN_DUPLICATES", #"{"duplicateValue":"aa"}"#, "Password must not contain duplicates: aa"),
      ("NEW_RULE", "{}", "Password does not meet the requirement NEW_RULE"),
    ])
  func `descriptions`(requirement: String, params: String, expected: String) throws {
    let policy = FailedPolicy(policyRequirement: requirement, params: try object(params))
    #expect(policy.failedDescription(for: "Password") == expected)
  }
}
