internal import Accounts
internal import BindingFormats
internal import JourneyFiles
package import PasswordRules
internal import HTTPTypes
internal import JourneyNodes
internal import StrictJSON

extension ErrorResponse {
  /// 403 that says what to prove first, and by which journey.
  static func stepUp(_ needed: StepUpNeeded, of account: UniversalID, journey: String?) -> Self {
    var detail = needed.detail
    detail["compositeAdvice"] = .string(CompositeAdvice.text(level: needed.authLevel))
    detail["realm"] = .string(needed.realm.realmPath)
    detail["journey"] = journey.map { .string($0) }
    var message =
      needed.maximumAge == nil
      ? "The roles of an account with a second factor need \(needed)."
      : "Changing factors needs \(needed)."
    if let journey {
      message += " Run journey \(journey) with ForceAuth=true and this session, then try again."
    }
    return Self(
      .forbidden, message, detail: detail,
      cause: "the session may not act on \(account.text): that needs \(needed)")
  }

  /// 400 with what is wrong with a new password, as PingAM's policies say it.
  package static func refused(_ faults: [PasswordPolicy.Fault]) -> Self {
    var refusal = Self(
      .badRequest, faults.map(\.description).joined(separator: " "),
      detail: [
        "result": false,
        "failedPolicyRequirements": [
          [
            "property": "userpassword",
            "policyRequirements": .array(faults.map { .object($0.requirement) }),
          ]
        ],
      ])
    refusal.wording = faults.map(Wording.init)
    return refusal
  }
}

extension ErrorResponse.Wording {
  package init(_ fault: PasswordPolicy.Fault) {
    switch fault {
    case .tooShort(let minimum): self.init(key: "password.tooShort", values: ["count": String(minimum)])
    case .tooLong(let maximum): self.init(key: "password.tooLong", values: ["count": String(maximum)])
    case .unknownCharacters: self.init(key: "password.unknownCharacters")
    case .common: self.init(key: "password.common")
    case .personal: self.init(key: "password.personal")
    }
  }
}
