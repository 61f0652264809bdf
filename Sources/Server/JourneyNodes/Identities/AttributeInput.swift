internal import Accounts
internal import JourneyEngine
internal import StrictJSON

/// A callback that asks for an attribute, with its policies and, after a refused answer, which of them failed.
struct AttributeInput: Sendable {
  let attribute: ManagedSchema.Attribute

  /// Under which name it is asked for and collected, such as `preferences/updates`.
  let path: String
  let isRequired: Bool

  /// Whether the schema's policies are shown and checked.
  let isValidated: Bool

  /// Longest answer in bytes.
  static let longestAnswer = 4096

  private var type: String {
    switch attribute.type {
    case .boolean: "BooleanAttributeInputCallback"
    case .number, .integer: "NumberAttributeInputCallback"
    case .string, .object, .array: "StringAttributeInputCallback"
    }
  }

  func callback(value: JSONValue?, failures: [ManagedSchema.Failure], validateOnly: Bool) -> OutgoingCallback
  {
    let empty: JSONValue =
      switch attribute.type {
      case .boolean: false
      case .number, .integer: .null
      default: ""
      }
    let shown = value ?? empty
    let policies = isValidated ? attribute.policies : []
    // PingAM describes the policies of a member of an object only if it has some.
    let isDescribed = isValidated && !(policies.isEmpty && path.contains("/"))
    return OutgoingCallback(
      type: type,
      outputs: [
        .init("name", .string(path)), .init("prompt", .string(attribute.title)),
        .init("required", .bool(isRequired)),
        .init("policies", isDescribed ? .policies(policies, of: path) : [:]),
        .init("failedPolicies", .failed(failures)),
        .init("validateOnly", .bool(validateOnly)), .init("value", shown),
      ], inputs: [.init("", shown), .init("validateOnly", false)])
  }

  /// The result of checking an answer.
  enum Answer {
    case value(JSONValue)

    /// Nothing was entered, and nothing has to be.
    case nothing
    case refused([ManagedSchema.Failure])
  }

  func answer(_ given: JSONValue?) -> Answer {
    let value: JSONValue?
    switch (attribute.type, given) {
    case (_, nil), (_, .null?), (_, .string("")?): value = nil
    case (.number, .string(let text)?):
      value = Double(text).flatMap { $0.isFinite ? .number($0) : nil } ?? given
    case (.integer, .string(let text)?): value = Int64(text).map { .integer($0) } ?? given
    case (.boolean, .string("true")?): value = true
    case (.boolean, .string("false")?): value = false
    default: value = given
    }
    guard let value else {
      return isRequired ? .refused([failure("REQUIRED")]) : .nothing
    }
    if let text = value.stringValue, text.utf8.count > Self.longestAnswer {
      return .refused([failure("MAX_LENGTH", ["maxLength": .integer(Int64(Self.longestAnswer))])])
    }
    var checked = attribute
    if !isValidated { checked.policies = [] }
    // Objects and lists have no callback of their own, and are given as text.
    if [.object, .array].contains(attribute.type) {
      guard let text = value.stringValue, let parsed = try? JSONValue(parsing: text) else {
        return .refused([failure("VALID_TYPE", ["types": [.string(attribute.type.rawValue)]])])
      }
      let failures = checked.failures(of: parsed, path: path)
      return failures.isEmpty ? .value(parsed) : .refused(failures)
    }
    // A list of one would be taken for its element.
    guard value.arrayValue == nil else {
      return .refused([failure("VALID_TYPE", ["types": [.string(attribute.type.rawValue)]])])
    }
    let failures = checked.failures(of: value, path: path)
    return failures.isEmpty ? .value(value) : .refused(failures)
  }

  private func failure(_ requirement: String, _ parameters: JSONObject = [:]) -> ManagedSchema.Failure {
    ManagedSchema.Failure(attribute: path, requirement: requirement, parameters: parameters)
  }
}
