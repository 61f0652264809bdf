internal import JourneyEngine
internal import JourneyScripts
internal import StrictJSON

/// A node of a type that a team has made in the node designer.
///
/// The type's script runs like one of a ``ScriptedDecisionNode`` of the second generation, and reads the node's properties, too. If the
/// type says so, a script that fails takes ``DesignedNodeType/errorOutcome``, and its changes to the state are dropped; otherwise the
/// journey fails.
struct DesignedNode: TitledNode {
  let outcomes: [String]
  private let type: DesignedNodeType
  private let decision: ScriptedDecisionNode
  private let scripts: ScriptServices?

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    guard let type = definition.designedType else {
      throw definition.wrong("nodeType", "no file of the realm defines the node type \(definition.type)")
    }
    if let problem = type.problem {
      throw definition.wrong("nodeType", "the node type \(type.displayName.quoted): \(problem)")
    }
    var properties = JSONObject()
    for property in type.properties {
      guard let value = try property.value(in: definition) else { continue }
      properties[property.name] = value
    }
    self.type = type
    scripts = services.scripts
    decision = ScriptedDecisionNode(
      type.script, libraries: definition.attachments.libraries, outcomes: type.outcomes,
      inputs: type.inputs.isEmpty ? ["*"] : type.inputs, outputs: type.outputs.isEmpty ? ["*"] : type.outputs,
      properties: properties, services: services)
    let own = type.outcomes
    outcomes =
      type.hasErrorOutcome && !own.contains(DesignedNodeType.errorOutcome)
      ? own + [DesignedNodeType.errorOutcome] : own
  }

  var stateInputs: [String] { decision.stateInputs }
  var stateOutputs: [String] { decision.stateOutputs }
  var warnings: [String] { decision.warnings }

  func texts(notes: JSONObject) -> StepTexts { decision.texts(notes: notes) }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let (state, notes) = (context.state, context.notes)
    do { return try await decision.evaluate(&context) } catch {
      let reason = "\(error) (node type \(type.nodeType) of \(type.file))"
      guard type.hasErrorOutcome, scripts != nil, Self.isOfScript(error) else {
        throw Self.placed(error, reason)
      }
      (context.state, context.notes) = (state, notes)
      scripts?.log(ScriptLogLine(level: "error", text: reason), type.script.name, context.journey)
      return context.outcome(DesignedNodeType.errorOutcome, because: reason)
    }
  }

  /// Whether the script itself failed: it threw, went over a limit, or made a decision that it may not make. It has not failed when the
  /// server cannot run it now.
  private static func isOfScript(_ error: any Error) -> Bool {
    switch error {
    case let error as ScriptError: error.reason != .busy && error.reason != .unavailable
    case is NodeError: true
    default: false
    }
  }

  private static func placed(_ error: any Error, _ reason: String) -> any Error {
    guard var error = error as? ScriptError else { return error is NodeError ? NodeError(reason) : error }
    error.description = reason
    return error
  }
}

extension DesignedNodeType.Property {
  /// What the script gets: the node's own value, or the type's default; `nil` when there is neither.
  ///
  /// - Throws: for a required property without a value.
  fileprivate func value(in definition: NodeDefinition) throws(JourneyFileError) -> JSONValue? {
    let standard = defaultValue.flatMap(fitting)
    let given = definition.properties[name].flatMap { $0.isNull ? nil : $0 }
    guard let given else {
      guard standard != nil || !isRequired else {
        throw definition.wrong(name, "is required by the node's type, and has no value")
      }
      return standard
    }
    if let value = fitting(given) {
      if !options.isEmpty, !texts(value).allSatisfy(options.contains) {
        definition.repaired(
          name, "is not one of the type's options: \(options.joined(separator: ", "))",
          instead: "The script gets it as it is.")
      }
      return value
    }
    // The default could ask for less than what was meant.
    throw definition.wrong(
      name,
      "must be \(isMultivalued ? "a list of values of the kind" : "of the kind") \(kind.rawValue), as the node's type says"
    )
  }

  private func texts(_ value: JSONValue) -> [String] {
    (value.arrayValue ?? [value]).map { $0.stringValue ?? $0.text }
  }

  /// `value` converted to the property's type; `nil` when it does not fit. Editors keep some numbers and flags as texts.
  private func fitting(_ value: JSONValue) -> JSONValue? {
    guard isMultivalued else { return single(value) }
    guard let list = value.arrayValue else { return single(value).map { [$0] } }
    var fitting: [JSONValue] = []
    for element in list {
      guard let element = single(element) else { return nil }
      fitting.append(element)
    }
    return .array(fitting)
  }

  private func single(_ value: JSONValue) -> JSONValue? {
    switch (kind, value) {
    case (.other, _), (.string, .string), (.boolean, .bool), (.object, .object), (.object, .array): value
    case (.number, _) where value.doubleValue != nil: value
    case (.number, .string(let text)): Int64(text).map { .integer($0) } ?? Double(text).flatMap(Self.finite)
    case (.boolean, .string("true")): true
    case (.boolean, .string("false")): false
    case (.object, .string(let text)):
      (try? JSONValue(parsing: text)).flatMap { $0.objectValue == nil && $0.arrayValue == nil ? nil : $0 }
    default: nil
    }
  }

  private static func finite(_ number: Double) -> JSONValue? { number.isFinite ? .number(number) : nil }
}
