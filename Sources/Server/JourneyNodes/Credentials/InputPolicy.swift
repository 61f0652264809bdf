internal import Accounts
internal import JourneyEngine
package import PasswordRules
package import StrictJSON

/// A rule that a new name or password must follow, in the form in which clients show it.
struct InputPolicy: Sendable {
  /// For example `minimum-length`.
  let id: String

  /// For example `MIN_LENGTH`.
  let requirement: String
  var parameters = JSONObject()
  let isMet: @Sendable (String, NodeContext) async throws -> Bool
}

extension JSONValue {
  /// A callback's output `policies`.
  static func policies(
    _ policies: [(id: String, requirement: String, parameters: JSONObject)], of attribute: String
  ) -> JSONValue {
    let described = policies.map { policy -> JSONValue in
      var form: JSONObject = [
        "policyId": .string(policy.id), "policyRequirements": [.string(policy.requirement)],
      ]
      if !policy.parameters.isEmpty { form["params"] = .object(policy.parameters) }
      return .object(form)
    }
    return [
      "name": .string(attribute), "fallbackPolicies": .null, "conditionalPolicies": .null,
      "policyRequirements": .array(policies.map { .string($0.requirement) }), "policies": .array(described),
    ]
  }

  /// A callback's output `failedPolicies`, whose elements are JSON text inside strings.
  static func failed(_ failures: [ManagedSchema.Failure]) -> JSONValue {
    .array(failures.map { .string(JSONValue.object($0.json).text) })
  }
}

extension InputPolicy {
  static let validText = InputPolicy(
    id: "valid-type", requirement: "VALID_TYPE", parameters: ["types": ["string"]]
  ) { _, _ in true }

  static let required = InputPolicy(id: "required", requirement: "REQUIRED") { text, _ in !text.isEmpty }

  static func maximumLength(_ count: Int) -> InputPolicy {
    InputPolicy(
      id: "maximum-length", requirement: "MAX_LENGTH", parameters: ["maxLength": .integer(Int64(count))]
    ) { text, _ in
      text.unicodeScalars.count <= count
    }
  }

  static func cannotContain(characters: [Character]) -> InputPolicy {
    InputPolicy(
      id: "cannot-contain-characters", requirement: "CANNOT_CONTAIN_CHARACTERS",
      parameters: ["forbiddenChars": .array(characters.map { .string(String($0)) })]
    ) { text, _ in
      !text.contains { characters.contains($0) || $0.unicodeScalars.contains { $0.properties.isControl } }
    }
  }
}

extension Unicode.Scalar.Properties {
  var isControl: Bool { generalCategory == .control }
}

/// A callback that tells the client its policies and, after a refused answer, which of them failed.
struct ValidatedInput: Sendable {
  let type: String
  let prompt: String

  /// The attribute that the policies speak of.
  let attribute: String
  let policies: [InputPolicy]

  /// Outputs of this type alone, such as `echoOn`.
  var extraOutputs: [OutgoingCallback.Field] = []

  /// The result of checking an answer.
  enum Verdict {
    case accepted(String)
    case asksAgain(OutgoingCallback)
  }

  /// Accepts the answer's text when all policies hold, unless the client only wants to have it checked; otherwise asks again.
  func verdict(on reply: CallbackReply?, _ context: NodeContext) async throws -> Verdict {
    guard let text = reply?.text() else { return .asksAgain(callback()) }
    let validateOnly = reply?.value("validateOnly")?.boolValue ?? false
    var failed: [InputPolicy] = []
    for policy in policies where try await !policy.isMet(text, context) { failed.append(policy) }
    guard failed.isEmpty, !validateOnly else {
      return .asksAgain(callback(failed: failed, validateOnly: validateOnly))
    }
    return .accepted(text)
  }

  private func callback(failed: [InputPolicy] = [], validateOnly: Bool = false) -> OutgoingCallback {
    let failures = failed.map {
      ManagedSchema.Failure(attribute: attribute, requirement: $0.requirement, parameters: $0.parameters)
    }
    return OutgoingCallback(
      type: type,
      outputs: extraOutputs + [
        .init("policies", .policies(policies.map { ($0.id, $0.requirement, $0.parameters) }, of: attribute)),
        .init("failedPolicies", .failed(failures)),
        .init("validateOnly", .bool(validateOnly)), .init("prompt", .string(prompt)),
      ], inputs: [.init("", ""), .init("validateOnly", false)])
  }
}

extension PasswordPolicy.Fault {
  /// The fault in the form that clients read, `policyRequirement` and `params`, as PingAM's policies have them. `CANNOT_BE_COMMON` is ours.
  package var requirement: JSONObject {
    switch self {
    case .tooShort(let minimum):
      // This is the directory's policy, in which 0 means no maximum. Our maximum is a policy of its own.
      [
        "policyRequirement": "LENGTH_BASED",
        "params": ["max-password-length": 0, "min-password-length": .integer(Int64(minimum))],
      ]
    case .tooLong(let maximum):
      ["policyRequirement": "MAX_LENGTH", "params": ["maxLength": .integer(Int64(maximum))]]
    case .unknownCharacters:
      ["policyRequirement": "VALID_TYPE", "params": ["types": ["string"]]]
    case .common: ["policyRequirement": "CANNOT_BE_COMMON", "params": [:]]
    case .personal:
      ["policyRequirement": "CANNOT_CONTAIN_OTHERS", "params": ["disallowedFields": ["userName", "mail"]]]
    }
  }
}

extension InputPolicy {
  /// The policies that a new password must follow, in the form in which callbacks announce them.
  static func password(_ policy: PasswordPolicy) -> [InputPolicy] {
    func input(_ id: String, _ example: PasswordPolicy.Fault) -> InputPolicy {
      InputPolicy(
        id: id, requirement: example.requirement["policyRequirement"]?.stringValue ?? "",
        parameters: example.requirement["params"]?.objectValue ?? [:]
      ) { text, context in
        !policy.faults(in: text, context: [context.state.username].compactMap { $0 }).contains(example)
      }
    }
    return [
      input("valid-type", .unknownCharacters),
      input("length-based", .tooShort(minimum: policy.minimumLength)),
      input("maximum-length", .tooLong(maximum: PasswordPolicy.maximumLength)),
      input("not-common", .common), input("cannot-contain-others", .personal),
    ]
  }
}
