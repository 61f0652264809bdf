internal import JourneyEngine
package import PasswordRules
package import StrictJSON

extension PasswordPolicy.Fault {
  /// What clients read of it: `policyRequirement` and `params`, as PingAM's policies have them. `CANNOT_BE_COMMON` is ours.
  package var requirement: JSONObject {
    switch self {
    case .tooShort(let minimum):
      // The directory's policy, in which 0 means no maximum; ours is a policy of its own.
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
        id, example.requirement["policyRequirement"]?.stringValue ?? "",
        example.requirement["params"]?.objectValue ?? [:]
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
