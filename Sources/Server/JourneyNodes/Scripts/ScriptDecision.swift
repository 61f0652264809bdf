internal import JourneyEngine
internal import StrictJSON

/// What a script decided, read from bytes that the script may have written itself.
struct ScriptDecision {
  let outcome: String?
  let callbacks: [OutgoingCallback]

  /// The message of a suspension; `nil` when the journey goes on.
  let suspension: String?
  let errorMessage: String?

  /// Properties for the session that a success makes, and the names of those that are to go.
  private let sessionProperties: [OutgoingCallback.Field]
  private let removedSessionProperties: [String]

  /// What the node needs when the client has answered: the callbacks, and the texts of the step.
  let notes: JSONObject

  private let shared: [(String, JSONValue)]
  private let transient: [(String, JSONValue)]
  private let removed: [String]

  /// Callbacks of one step.
  private static let mostCallbacks = 100

  /// The types that scripts can send. Device binding and signing are not among them: what they answer is a proof, which only their
  /// nodes can verify and use up.
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

  /// Session properties of one run, and the longest of them.
  private static let mostProperties = 32
  private static let longestName = 128
  private static let longestValue = 1024

  /// What the server says of a session itself.
  private static let ownProperties: Set<String> = [
    "amctxid", "authlevel", "service", "authinstant", "usertoken", "userid", "principal", "principals",
  ]

  /// Changes the properties that the session will get.
  ///
  /// - Throws: when there are too many or too long ones, or one says what the server says itself.
  func applySessionProperties(to state: inout JourneyState) throws(NodeError) {
    guard !sessionProperties.isEmpty || !removedSessionProperties.isEmpty else { return }
    var properties = state.sessionProperties
    for name in removedSessionProperties { properties[name] = nil }
    for property in sessionProperties {
      let name = property.name
      guard (1...Self.longestName).contains(name.utf8.count), !Self.ownProperties.contains(name.lowercased()),
        !name.lowercased().hasPrefix("am.")
      else { throw NodeError("the script may not set the session property \(name.quoted)") }
      guard let value = property.value.stringValue, value.utf8.count <= Self.longestValue else {
        throw NodeError(
          "the session property \(name.quoted) is no text, or longer than \(Self.longestValue) bytes")
      }
      properties[name] = .string(value)
    }
    guard properties.count <= Self.mostProperties else {
      throw NodeError("a run may set \(Self.mostProperties) session properties at most")
    }
    state.sessionProperties = properties
  }

  /// Changes the state as the script wants it.
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
