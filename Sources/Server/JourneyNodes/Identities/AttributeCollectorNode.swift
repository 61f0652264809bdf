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
