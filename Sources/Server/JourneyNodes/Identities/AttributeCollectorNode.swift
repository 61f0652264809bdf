internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

/// Asks for attributes, each with the callback of its type in the schema, and collects the answers in `objectAttributes`.
///
/// The present values are shown only to a user whom the journey has verified: a name alone must not show somebody's profile.
struct AttributeCollectorNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateOutputs = [StateKey.objectAttributes]
  let warnings: [String]
  private let services: NodeServices
  private let inputs: [(input: AttributeInput, pointer: JSONPointer)]
  private let identityAttribute: String

  /// Attributes of one page.
  private static let mostAttributes = 50

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    identityAttribute = try definition.identityAttribute()
    let isRequired = try definition.flag("required", default: false, instead: true)
    let isValidated = try definition.flag("validateInputs", default: false, instead: true)
    let names = try definition.strings("attributesToCollect")
    let problem = "must name from 1 to \(Self.mostAttributes) attributes"
    guard names.count <= Self.mostAttributes else { throw definition.wrong("attributesToCollect", problem) }
    if names.isEmpty {
      definition.repaired(
        "attributesToCollect", problem, instead: "Nothing is asked, and the journey continues.")
    }
    var inputs: [(AttributeInput, JSONPointer)] = []
    var warnings: [String] = []
    for name in names {
      guard let pointer = JSONPointer(name), pointer.names[0] != ManagedAttribute.password else {
        throw definition.wrong(
          "attributesToCollect", "\(name.quoted) cannot be collected; a password is a ValidatedPasswordNode's"
        )
      }
      let path = pointer.names.joined(separator: "/")
      let attribute = services.schema.attribute(at: path)
      if attribute == nil {
        warnings.append("the schema has no attribute \(path); it is collected as a text")
      }
      inputs.append(
        (
          AttributeInput(
            attribute: attribute ?? ManagedSchema.Attribute(path), path: path, isRequired: isRequired,
            isValidated: isValidated), pointer
        ))
    }
    self.inputs = inputs.map { ($0.0, $0.1) }
    self.warnings = warnings
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard !inputs.isEmpty else { return .outcome("outcome") }
    guard let reply = context.reply else {
      let present = try await presentValues(&context)
      return .callbacks(
        inputs.map { input, pointer in
          input.callback(value: pointer.value(in: present), failures: [], validateOnly: false)
        })
    }
    let answers = inputs.indices.map { inputs[$0].input.answer(reply.value(at: $0)) }
    let validatesOnly = inputs.indices.contains { reply.value("validateOnly", at: $0)?.boolValue == true }
    let isRefused = answers.contains { if case .refused = $0 { true } else { false } }
    guard !isRefused, !validatesOnly else {
      return .callbacks(
        inputs.indices.map { index in
          var failures: [ManagedSchema.Failure] = []
          if case .refused(let found) = answers[index] { failures = found }
          // What is too long is not sent back.
          let value = reply.value(at: index).flatMap { value in
            (value.stringValue?.utf8.count ?? 0) > AttributeInput.longestAnswer ? nil : value
          }
          return inputs[index].input.callback(
            value: value, failures: failures,
            validateOnly: reply.value("validateOnly", at: index)?.boolValue ?? false)
        })
    }
    for (index, answer) in answers.enumerated() {
      if case .value(let value) = answer { context.state.collect(value, at: inputs[index].pointer) }
    }
    return .outcome("outcome")
  }

  private func presentValues(_ context: inout NodeContext) async throws -> JSONObject {
    var values = JSONObject()
    if try await context.hasProvenUser(services),
      let user = try await services.identity(in: &context, by: identityAttribute)
    {
      values = ManagedUsers.object(of: user)
    }
    values.merge(context.state.objectAttributes)
    return values
  }
}

extension NodeContext {
  /// Whether the person has proven to be the journey's user, in this run or by the session that was presented at its start.
  func hasProvenUser(_ services: NodeServices) async throws -> Bool {
    guard let username = state.username else { return false }
    if state.authenticatedAt != nil { return true }
    guard let session, session.username.lowercased() == username.lowercased() else { return false }
    return try await services.store.session(tokenHash: session.tokenHash, now: services.clock()) != nil
  }
}

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
