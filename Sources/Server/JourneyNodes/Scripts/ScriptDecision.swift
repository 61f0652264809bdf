internal import JourneyEngine
internal import StrictJSON

/// What a script decided, read from bytes that the script may have written itself.
struct ScriptDecision {
  let outcome: String?
  let callbacks: [OutgoingCallback]

  /// The message of a suspension; `nil` when the journey continues.
  let suspension: String?
  let errorMessage: String?

  /// Properties for the session of a successful run, and the names of those to remove.
  private let sessionProperties: [OutgoingCallback.Field]
  private let removedSessionProperties: [String]

  /// What the node needs when the client has answered: the callbacks, and the texts of the step.
  let notes: JSONObject

  private let shared: [(String, JSONValue)]
  private let transient: [(String, JSONValue)]
  private let removed: [String]

  /// The most callbacks of one step.
  private static let mostCallbacks = 100

  /// The types that scripts can send. Device binding and signing are not among them: their answers are proofs, which only their nodes can
  /// verify and use up.
  private static let types: Set<String> = [
    "NameCallback", "PasswordCallback", "TextInputCallback", "TextOutputCallback",
    "SuspendedTextOutputCallback", "ChoiceCallback", "ConfirmationCallback", "BooleanAttributeInputCallback",
    "NumberAttributeInputCallback", "StringAttributeInputCallback", "ValidatedCreateUsernameCallback",
    "ValidatedCreatePasswordCallback", "KbaCreateCallback", "TermsAndConditionsCallback",
    "ConsentMappingCallback", "HiddenValueCallback", "PollingWaitCallback", "MetadataCallback",
    "DeviceProfileCallback", "RedirectCallback", "IdPCallback", "SelectIdPCallback",
    "PingOneProtectInitializeCallback", "PingOneProtectEvaluationCallback", "ReCaptchaEnterpriseCallback",
  ]

  init(_ json: JSONObject) throws(NodeError) {
    outcome = json["outcome"]?.stringValue
    let asked = json["callbacks"]?.arrayValue ?? []
    guard asked.count <= Self.mostCallbacks else {
      throw NodeError("the script asks \(asked.count) callbacks at once, more than \(Self.mostCallbacks)")
    }
    var callbacks: [OutgoingCallback] = []
    for callback in asked {
      guard let type = callback["type"]?.stringValue, Self.types.contains(type) else {
        throw NodeError("the script asks a callback of a type that scripts cannot send")
      }
      callbacks.append(
        OutgoingCallback(
          type: type, outputs: try Self.fields(callback["outputs"]),
          inputs: try Self.fields(callback["inputs"])))
    }
    self.callbacks = callbacks
    suspension = json["suspension"]?["message"]?.stringValue
    errorMessage = json["errorMessage"]?.stringValue
    sessionProperties = try Self.fields(json["sessionProperties"])
    removedSessionProperties = (json["removedSessionProperties"]?.arrayValue ?? []).compactMap(\.stringValue)
    shared = try Self.fields(json["shared"]).map { ($0.name, $0.value) }
    transient = try Self.fields(json["transient"]).map { ($0.name, $0.value) }
    removed = (json["removed"]?.arrayValue ?? []).compactMap(\.stringValue)
    var notes: JSONObject = [
      "asked": .array(asked.map { ["type": $0["type"] ?? "", "outputs": $0["outputs"] ?? []] })
    ]
    for name in ["header", "description", "stage"] {
      notes[name] = json[name]?.stringValue.map { .string($0) }
    }
    self.notes = notes
  }

  /// Pairs of name and value.
  private static func fields(_ json: JSONValue?) throws(NodeError) -> [OutgoingCallback.Field] {
    var fields: [OutgoingCallback.Field] = []
    for pair in json?.arrayValue ?? [] {
      guard let name = pair[0]?.stringValue, let value = pair[1] else {
        throw NodeError("the script's result does not have its form")
      }
      fields.append(OutgoingCallback.Field(name, value))
    }
    return fields
  }

  /// Changes the properties that the session will get.
  ///
  /// - Throws: when there are too many or too long ones, or one has the name of a server's own property.
  func applySessionProperties(to state: inout JourneyState) throws(NodeError) {
    guard !sessionProperties.isEmpty || !removedSessionProperties.isEmpty else { return }
    var changed = state
    for name in removedSessionProperties { changed.sessionProperties[name] = nil }
    for property in sessionProperties {
      if let objection = changed.setSessionProperty(property.name, property.value) {
        throw NodeError("the script cannot continue: \(objection)")
      }
    }
    state = changed
  }

  /// Applies the script's changes to the state.
  ///
  /// - Returns: the variables that it may not change.
  func apply(to state: inout JourneyState, outputs: StateNames) -> [String] {
    var refused: Set<String> = []
    func isAllowed(_ name: String) -> Bool {
      let isAllowed = outputs.contains(name) && !ReservedState.names.contains(name)
      if !isAllowed { refused.insert(name) }
      return isAllowed
    }
    for name in removed where isAllowed(name) {
      state.shared[name] = nil
      state.transient[name] = nil
    }
    for (name, value) in shared where isAllowed(name) { state.shared[name] = value }
    for (name, value) in transient where isAllowed(name) { state.transient[name] = value }
    return refused.sorted()
  }
}
