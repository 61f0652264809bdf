internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Asks for attributes, each with the callback of its type in the schema, and collects the answers in `objectAttributes`.
  ///
  /// The present values are shown only to a user whom the journey has verified: a name alone must not show somebody's profile.
  func attributeCollectorNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let (property, most) = ("attributesToCollect", 50)
    let identityAttribute = try identityAttribute()
    let isRequired = try flag("required", default: false, instead: true)
    let isValidated = try flag("validateInputs", default: false, instead: true)
    let names = try strings(property)
    let problem = "must name from 1 to \(most) attributes"
    guard names.count <= most else { throw wrong(property, problem) }
    if names.isEmpty { repaired(property, problem, instead: "Nothing is asked, and the journey continues.") }
    var inputs: [AttributeInput] = []
    var warnings: [String] = []
    for name in names {
      guard let pointer = JSONPointer(name), pointer.names[0] != ManagedAttribute.password else {
        throw wrong(
          property, "\(name.quoted) cannot be collected; a password is a ValidatedPasswordNode's")
      }
      let path = pointer.names.joined(separator: "/")
      let attribute = services.schema.attribute(at: path)
      if attribute == nil {
        warnings.append("the schema has no attribute \(path); it is collected as a text")
      }
      inputs.append(
        AttributeInput(
          attribute: attribute ?? ManagedSchema.Attribute(path), pointer: pointer, path: path,
          isRequired: isRequired, isValidated: isValidated))
    }
    return PlainNode(stateOutputs: [StateKey.objectAttributes], warnings: warnings) { [inputs] context in
      guard !inputs.isEmpty else { return .outcome("outcome") }
      guard let reply = context.reply else {
        var present = JSONObject()
        if try await context.hasProvenUser(services),
          let user = try await services.identity(in: &context, by: identityAttribute)
        {
          present = ManagedUsers.object(of: user)
        }
        present.merge(context.state.objectAttributes)
        return .callbacks(
          inputs.map { $0.callback(value: $0.pointer.value(in: present), failures: [], validateOnly: false) })
      }
      let answers = inputs.enumerated().map { $1.answer(reply.value(at: $0)) }
      let validateOnly = inputs.indices.map { reply.value("validateOnly", at: $0)?.boolValue ?? false }
      let isRefused = answers.contains { if case .refused = $0 { true } else { false } }
      guard !isRefused, !validateOnly.contains(true) else {
        return .callbacks(
          inputs.enumerated().map { index, input in
            var failures: [ManagedSchema.Failure] = []
            if case .refused(let found) = answers[index] { failures = found }
            // What is too long is not sent back.
            let value = reply.value(at: index).flatMap { value in
              (value.stringValue?.utf8.count ?? 0) > AttributeInput.longestAnswer ? nil : value
            }
            return input.callback(value: value, failures: failures, validateOnly: validateOnly[index])
          })
      }
      for (input, answer) in zip(inputs, answers) {
        if case .value(let value) = answer { context.state.collect(value, at: input.pointer) }
      }
      return .outcome("outcome")
    }
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
  let pointer: JSONPointer

  /// The name under which the attribute is asked for and collected, such as `preferences/updates`.
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
    let policies = (isValidated ? attribute.policies : []).map(\.form)
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
    let content: JSONValue?
    if [.object, .array].contains(attribute.type) {
      // Objects and lists have no callback of their own, and are given as text.
      content = value.stringValue.flatMap { try? JSONValue(parsing: $0) }
    } else {
      // A list of one would be taken for its element.
      content = value.arrayValue == nil ? value : nil
    }
    guard let content else {
      return .refused([failure("VALID_TYPE", ["types": [.string(attribute.type.rawValue)]])])
    }
    let failures = checked.failures(of: content, path: path)
    return failures.isEmpty ? .value(content) : .refused(failures)
  }

  private func failure(_ requirement: String, _ parameters: JSONObject = [:]) -> ManagedSchema.Failure {
    ManagedSchema.Failure(attribute: path, requirement: requirement, parameters: parameters)
  }
}
