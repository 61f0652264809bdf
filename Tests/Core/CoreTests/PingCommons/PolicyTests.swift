import Concurrency
import Foundation
import PingCommons
import Testing

/// A policy that notes what it was given.
private final class NotedPolicy: MfaPolicy {
  let name: String
  private let answer: @Sendable () throws -> Bool
  private let noted = Locked<[String]>([])

  init(_ name: String, _ answer: @escaping @Sendable () throws -> Bool = { true }) {
    self.name = name
    self.answer = answer
  }

  var settings: [String] { noted.withLock { $0 } }

  func evaluate(data: [String: Any]?) throws -> Bool {
    let text = data.map { JSONUtils.jsonStringify(value: $0) } ?? "none"
    noted.withLock { $0.append(text) }
    return try answer()
  }
}

@Suite("Policies of credentials")
struct PolicyTests {
  @Test func `policies were not in this module, and an evaluator had two that nobody gave it`() async {
    #expect(await MfaPolicyEvaluator.create().getPolicies().isEmpty)
    #expect(MfaPolicyEvaluator.Config().policies.isEmpty)
    let configure: (MfaPolicyEvaluator.Config) -> Void = { $0.policies = [BiometricAvailablePolicy()] }
    let evaluator = MfaPolicyEvaluator.create(configure: configure)
    #expect(await evaluator.getPolicies().map(\.name) == [BiometricAvailablePolicy.policyName])
    #expect(await evaluator.getPolicy(policyName: "biometricAvailable") != nil)
    #expect(await evaluator.getPolicy(policyName: "other") == nil)
    #expect(NotedPolicy("own").description.contains("own"))
  }

  @Test func `policies as a dictionary could not be evaluated`() async {
    struct Broken: Error {}
    let (first, second) = (NotedPolicy("first"), NotedPolicy("second") { false })
    let evaluator = MfaPolicyEvaluator.create {
      $0.policies = [first, second, NotedPolicy("broken") { throw Broken() }]
    }
    let all: [String: Any] = [
      "broken": [String: Any](), "second": ["a": 1], "first": [String: Any](), "x": 1,
    ]
    let result = await evaluator.evaluate(policiesJson: all)
    #expect(result.isFailure && result.nonCompliancePolicyName == "second")
    #expect(result.nonCompliancePolicy is NotedPolicy)
    #expect(first.settings == ["{}"] && second.settings == [#"{"a":1}"#])
    #expect(
      await evaluator.evaluate(policiesJson: ["broken": [String: Any]()]).nonCompliancePolicyName == "broken")
    #expect(await evaluator.evaluate(policiesJson: ["first": ["b": [true]]]).isSuccess)
    #expect(first.settings.last == #"{"b":[true]}"#)
    #expect(await evaluator.evaluate(policiesJson: [:]).isSuccess)
  }

  @Test(arguments: [
    "no JSON", "[]", "{\"first\":", #"{"other":{},"other":{}}"#, #"{"first":null}"#, #"{"first":1}"#,
  ])
  func `policies that cannot be read are not met`(text: String) async {
    let evaluator = MfaPolicyEvaluator.create { $0.policies = [NotedPolicy("first")] }
    #expect(await evaluator.evaluate(credentialPolicies: text).nonCompliancePolicyName == "first")
    #expect(await MfaPolicyEvaluator.create().evaluate(credentialPolicies: text).isSuccess, "it knows none")
  }

  @Test(arguments: [nil, "", "{}", #"{"other":{}}"#] as [String?])
  func `what names no policy is met`(text: String?) async {
    let evaluator = MfaPolicyEvaluator.create { $0.policies = [NotedPolicy("first") { false }] }
    #expect(await evaluator.evaluate(credentialPolicies: text).isSuccess)
    #expect(await evaluator.evaluate(credentialPolicies: #"{"first":{}}"#).isFailure)
  }
}

@Suite("Parts of enrolment addresses")
struct UriTests {
  @Test(
    arguments: [
      ("Bank:ada", nil, "Bank", "ada"), ("Bank:ada", "BANK", "Bank", "ada"), (":ada", "Bank", "Bank", "ada"),
      ("ada", nil, "", "ada"), ("ada", "Bank", "Bank", "ada"), ("", "Bank", "Bank", ""), ("", nil, "", ""),
      ("Bank: ada", nil, "Bank", "ada"), ("a:b:c", nil, "", ""), ("a:b:c", "Bank", "Bank", ""),
      ("Bank:", nil, "Bank", ""), ("forgerock:ada", "Bank", "Bank", "ada"),
      ("ForgeRock:ada", "forgerock", "ForgeRock", "ada"), ("ForgeRock:ada", nil, "ForgeRock", "ada"),
    ] as [(String, String?, String, String)])
  func `there was no reader of labels`(label: String, parameter: String?, issuer: String, account: String)
    throws
  {
    let parts = try UriParser().parseLabelComponents(label, issuerParam: parameter)
    #expect(parts.issuer == issuer && parts.accountName == account)
  }

  @Test func `two issuers are an error`() {
    let error = #expect(throws: UriParseError.self) {
      try UriParser().parseLabelComponents("Bank:ada", issuerParam: "Bänk")
    }
    #expect(error == .issuerMismatch(parameterIssuer: "Bänk", labelIssuer: "Bank"))
    for error in [
      UriParseError.issuerMismatch(parameterIssuer: "a", labelIssuer: "b"), .malformedURI("x"),
      .unsupportedScheme("http"),
    ] {
      #expect(
        error.errorDescription?.isEmpty == false && error.localizedDescription == error.errorDescription)
    }
  }

  @Test func `colours lose one hash`() {
    let parser = UriParser()
    #expect(parser.formatBackgroundColor("#032b75") == "032b75")
    #expect(parser.formatBackgroundColor("032b75") == "032b75")
    #expect(parser.formatBackgroundColor("##1") == "#1" && parser.formatBackgroundColor(nil) == nil)
  }

  @Test func `names of parameters`() {
    #expect(UriParser.mfauthScheme == "mfauth" && UriParser.issuerParam == "issuer")
    #expect(UriParser.userIdParam == "d" && UriParser.userIdParamOath == "uid")
    #expect(UriParser.imageUrlParam == "image" && UriParser.backgroundColorParam == "b")
    #expect(UriParser.policiesParam == "policies")
  }

  @Test(
    arguments: [
      ("otpauth://totp/x", .otpauth), ("OTPAUTH://totp/x", .otpauth), ("pushauth://push/x", .pushauth),
      ("mfauth://hotp/x", .mfauth), ("MfAuth://", .mfauth), ("https://x", nil), ("otpauth:/x", nil),
      ("", nil),
      (" otpauth://x", nil),
    ] as [(String, UriScheme?)])
  func `there were no schemes`(text: String, scheme: UriScheme?) {
    #expect(UriScheme.from(urlString: text) == scheme)
    for one in UriScheme.allCases { #expect(one.matches(urlString: text) == (one == scheme)) }
    guard let scheme, let url = URL(string: text) else { return }
    #expect(UriScheme.from(url: url) == scheme && scheme.matches(url: url))
    #expect(scheme.rawValue == scheme.scheme + "://")
  }
}
