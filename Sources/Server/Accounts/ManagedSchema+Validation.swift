internal import MailService
public import StrictJSON

extension ManagedSchema {
  /// A rule that a value breaks, as CREST and callbacks report it.
  public struct Failure: Sendable, Hashable {
    public var attribute: String

    /// For example `MIN_LENGTH`.
    public var requirement: String
    public var parameters = JSONObject()

    package init(attribute: String, requirement: String, parameters: JSONObject = JSONObject()) {
      self.attribute = attribute
      self.requirement = requirement
      self.parameters = parameters
    }

    /// The element of `policyRequirements` in a CREST error.
    public var json: JSONObject {
      parameters.isEmpty
        ? ["policyRequirement": .string(requirement)]
        : ["policyRequirement": .string(requirement), "params": .object(parameters)]
    }
  }

  /// The rules that the values of `object` break; missing attributes are not checked.
  public func failures(in object: JSONObject) -> [Failure] {
    object.flatMap { name, value in
      guard let attribute = attribute(name) else {
        return allowsOthers
          ? [] : [Failure(attribute: name, requirement: "UNKNOWN_PROPERTY")]
      }
      return attribute.failures(of: value)
    }
  }

  /// The required attributes that `object` lacks.
  public func missing(in object: JSONObject) -> [Failure] {
    required.filter { object[$0].map(\.isEmptyValue) ?? true }
      .map { Failure(attribute: $0, requirement: "REQUIRED") }
  }

  /// Whether the owner may change the attribute.
  package func isEditable(_ name: String) -> Bool {
    guard let attribute = attribute(name) else { return false }
    return attribute.isUserEditable && !ManagedAttribute.serversOwn.contains(name)
      && !ManagedAttribute.hidden.contains(name)
  }
}

extension ManagedSchema.Attribute {
  /// The rules that the value breaks. `null` counts as absent. A list of one stands for its element, because PingAM shows all attributes
  /// as lists.
  package func failures(of given: JSONValue, path: String? = nil) -> [ManagedSchema.Failure] {
    let name = path ?? self.name
    var value = given
    if type != .array, let elements = given.arrayValue, elements.count == 1 { value = elements[0] }
    guard !value.isNull else { return [] }
    guard has(value) else {
      return [
        ManagedSchema.Failure(
          attribute: name, requirement: "VALID_TYPE", parameters: ["types": [.string(type.rawValue)]])
      ]
    }
    var failures = policies.compactMap { policy in
      policy.failure(of: value).map {
        ManagedSchema.Failure(attribute: name, requirement: $0, parameters: policy.form.parameters)
      }
    }
    for member in members {
      if let inner = value[member.name] {
        failures += member.failures(of: inner, path: "\(name)/\(member.name)")
      } else if member.isRequired {
        failures.append(ManagedSchema.Failure(attribute: "\(name)/\(member.name)", requirement: "REQUIRED"))
      }
    }
    return failures
  }

  private func has(_ value: JSONValue) -> Bool {
    switch type {
    case .string: value.stringValue != nil
    case .number: value.doubleValue != nil
    case .integer: value.integerValue != nil
    case .boolean: value.boolValue != nil
    case .object: value.objectValue != nil
    case .array: value.arrayValue != nil
    }
  }
}

extension ManagedSchema.Policy {
  /// The policy as clients read it.
  package var form: (id: String, requirement: String, parameters: JSONObject) {
    switch self {
    case .notEmpty: ("not-empty", "REQUIRED", [:])
    case .mailAddress: ("valid-email-address-format", "VALID_EMAIL_ADDRESS_FORMAT", [:])
    case .minimumLength(let length):
      ("minimum-length", "MIN_LENGTH", ["minLength": .integer(Int64(length))])
    case .maximumLength(let length):
      ("maximum-length", "MAX_LENGTH", ["maxLength": .integer(Int64(length))])
    case .minimumNumber(let number):
      ("minimum-number", "MINIMUM_NUMBER_VALUE", ["minimum": .number(number)])
    case .maximumNumber(let number):
      ("maximum-number", "MAXIMUM_NUMBER_VALUE", ["maximum": .number(number)])
    case .cannotContain(let texts):
      (
        "cannot-contain-characters", "CANNOT_CONTAIN_CHARACTERS",
        ["forbiddenChars": .array(texts.map { .string($0) })]
      )
    }
  }

  /// The requirement that the value does not meet.
  package func failure(of value: JSONValue) -> String? {
    let text = value.stringValue
    let isMet: Bool =
      switch self {
      case .notEmpty: !value.isEmptyValue
      case .mailAddress: text.map { $0.isEmpty || MailAddress.isPlausible($0) } ?? true
      case .minimumLength(let length): text.map { $0.isEmpty || $0.unicodeScalars.count >= length } ?? true
      case .maximumLength(let length): text.map { $0.unicodeScalars.count <= length } ?? true
      case .minimumNumber(let number): value.doubleValue.map { $0 >= number } ?? true
      case .maximumNumber(let number): value.doubleValue.map { $0 <= number } ?? true
      case .cannotContain(let texts):
        // Bytes as well: a sign and a mark after it are one `Character`.
        text.map { text in
          !texts.contains { !$0.isEmpty && (text.contains($0) || text.utf8.contains($0.utf8)) }
        } ?? true
      }
    return isMet ? nil : form.requirement
  }
}

extension JSONValue {
  /// Whether there is nothing in it.
  var isEmptyValue: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let object): object.isEmpty
    default: false
    }
  }
}
