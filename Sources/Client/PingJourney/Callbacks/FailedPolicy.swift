internal import Foundation
internal import PingJourneyPlugin
public import PingOrchestrate

/// A policy that an answer did not meet.
// Its stored properties are guarded.
public class FailedPolicy: @unchecked Sendable {
  @Guarded private var box: JSONBox?

  /// What the policy demands, such as `minLength`.
  public var params: [String: Any]? {
    get { box?.object }
    set { box = newValue.map { JSONBox($0) } }
  }

  /// The code of the requirement, such as `MIN_LENGTH`.
  @Guarded public var policyRequirement: String = ""

  /// A requirement with its parameters.
  public init(policyRequirement: String, params: [String: Any]? = nil) {
    self.policyRequirement = policyRequirement
    self.params = params
  }

  /// Reads a requirement from an object or its JSON text; `nil` for anything else, as in the published SDK.
  convenience init?(received value: Any) {
    let parsed = (value as? String).flatMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) }
    guard let object = (parsed ?? value) as? [String: Any],
      let requirement = object[JourneyConstants.policyRequirement] as? String
    else { return nil }
    self.init(policyRequirement: requirement, params: object[JourneyConstants.params] as? [String: Any])
  }

  /// An English sentence that says what is wrong with `propertyName`; `""` for requirements that mean nothing to a person.
  public func failedDescription(for propertyName: String) -> String {
    func parameter(_ name: String) -> String {
      let value = params?[name] ?? ""
      if let values = value as? [Any] { return values.compactMap(OutputValue.text).joined(separator: ", ") }
      return OutputValue.text(value) ?? ""
    }
    switch policyRequirement {
    case "REQUIRED": return "\(propertyName) is required"
    case "UNIQUE": return "\(propertyName) must be unique"
    case "MATCH_REGEXP", "VALID_TYPE", "VALID_QUERY_FILTER", "VALID_ARRAY_ITEMS", "MINIMUM_NUMBER_VALUE",
      "MAXIMUM_NUMBER_VALUE":
      return ""
    case "VALID_DATE": return "\(propertyName) must be a valid date"
    case "VALID_EMAIL_ADDRESS_FORMAT": return "\(propertyName) must be a valid e-mail address"
    case "VALID_NAME_FORMAT": return "\(propertyName) must be a valid name"
    case "VALID_PHONE_FORMAT": return "\(propertyName) must be a valid phone number"
    case "VALID_NUMBER": return "\(propertyName) must be a valid number"
    case "VALID_USERNAME": return "\(propertyName) must be a valid user name that nobody has"
    case "AT_LEAST_X_CAPITAL_LETTERS":
      return "\(propertyName) must have at least \(parameter("numCaps")) capital letter(s)"
    case "AT_LEAST_X_NUMBERS": return "\(propertyName) must have at least \(parameter("numNums")) digit(s)"
    case "MIN_LENGTH": return "\(propertyName) must have at least \(parameter("minLength")) character(s)"
    case "LENGTH_BASED":
      // 0 means no maximum.
      let longest = parameter("max-password-length")
      let most = longest.isEmpty || longest == "0" ? "" : " and at most \(longest)"
      return "\(propertyName) must have at least \(parameter("min-password-length"))\(most) character(s)"
    case "MAX_LENGTH": return "\(propertyName) must have at most \(parameter("maxLength")) character(s)"
    case "CANNOT_CONTAIN_OTHERS": return "\(propertyName) must not contain: \(parameter("disallowedFields"))"
    case "CANNOT_CONTAIN_CHARACTERS":
      return "\(propertyName) must not contain these characters: \(parameter("forbiddenChars"))"
    case "CANNOT_CONTAIN_DUPLICATES":
      return "\(propertyName) must not contain duplicates: \(parameter("duplicateValue"))"
    default: return "\(propertyName) does not meet the requirement \(policyRequirement)"
    }
  }
}
