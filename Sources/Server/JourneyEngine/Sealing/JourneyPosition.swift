internal import StrictJSON

/// The position of a journey while the client has its callbacks: all that a server needs to continue it.
struct JourneyPosition: Sendable, Hashable {
  /// The run's id, for logs; `nil` from an earlier version.
  var id: String?
  /// The journey that the client started.
  var journey: String

  /// The journey's version; `nil` from servers that did not name it.
  var version: String?
  var realm: String

  /// Id of the node that asked or, when that is in an inner journey, of the node that runs the inner journey.
  var node: String

  /// The inner journeys and where they stand, outermost first; the last node is the one that asked.
  var inside: [InnerPosition] = []
  var notes: JSONObject
  var state: JourneyState
  var options: JourneyOptions

  /// What was asked, to recognise the answer.
  var asked: [AskedCallback]

  /// What the client was told when the journey began to wait for its link. A position with this message cannot continue the journey.
  var waiting: String?

  /// The session that the client had when the journey started.
  var session: PresentedSession?

  /// Beginning of the journey, milliseconds since 1970.
  var startedAt: Int64

  /// End of the journey's life, milliseconds since 1970.
  var expiresAt: Int64
}

/// Where an inner journey stands.
struct InnerPosition: Sendable, Hashable {
  var journey: String
  var node: String
}

/// The sealed text. Its members have one letter, because it is part of every request.
extension JourneyPosition {
  var serialized: [UInt8] {
    var json: JSONObject = [
      "j": .string(journey), "r": .string(realm), "n": .string(node), "b": .integer(startedAt),
      "e": .integer(expiresAt),
    ]
    let parts = [("k", notes), ("s", state.shared), ("t", state.transient), ("x", state.secure)]
    for (name, part) in parts where !part.isEmpty { json[name] = .object(part) }
    if let id { json["i"] = .string(id) }
    if let version { json["v"] = .string(version) }
    if !inside.isEmpty { json["d"] = .array(inside.map { [.string($0.journey), .string($0.node)] }) }
    if let waiting { json["w"] = .string(waiting) }
    if options.noSession { json["q"] = true }
    if options.forceAuth { json["f"] = true }
    if let level = options.requiredLevel { json["l"] = .integer(Int64(level)) }
    if options.isUpgrade { json["u"] = true }
    if options.isOwn { json["o"] = true }
    if let session { json["p"] = .object(session.json) }
    if state.assurance != RunAssurance() { json["a"] = .object(state.assurance.json) }
    json["c"] = .array(asked.map { .array([.string($0.type)] + $0.suffixes.map(JSONValue.string)) })
    return json.serialized
  }

  /// Reads what ``serialized`` wrote; `nil` for anything else, such as the text of another version.
  init?(parsing bytes: some Sequence<UInt8>) {
    guard let json = (try? JSONValue(parsing: bytes))?.objectValue, let journey = json["j"]?.stringValue,
      let realm = json["r"]?.stringValue, let node = json["n"]?.stringValue,
      let startedAt = json["b"]?.integerValue, let expiresAt = json["e"]?.integerValue,
      let callbacks = json["c"]?.arrayValue
    else { return nil }
    var asked: [AskedCallback] = []
    for callback in callbacks {
      guard let texts = callback.arrayValue?.map({ $0.stringValue ?? "" }), let type = texts.first else {
        return nil
      }
      asked.append(AskedCallback(type: type, suffixes: Array(texts.dropFirst())))
    }
    var inside: [InnerPosition] = []
    for step in json["d"]?.arrayValue ?? [] {
      guard let journey = step[0]?.stringValue, let node = step[1]?.stringValue else { return nil }
      inside.append(InnerPosition(journey: journey, node: node))
    }
    func part(_ name: String) -> JSONObject { json[name]?.objectValue ?? JSONObject() }
    var state = JourneyState(shared: part("s"), transient: part("t"), secure: part("x"))
    if let assurance = json["a"] { state.assurance = RunAssurance(json: assurance) }
    self.init(
      id: json["i"]?.stringValue, journey: journey, version: json["v"]?.stringValue, realm: realm, node: node,
      inside: inside, notes: part("k"), state: state,
      options: JourneyOptions(
        noSession: json["q"]?.boolValue ?? false, forceAuth: json["f"]?.boolValue ?? false,
        requiredLevel: json["l"]?.integerValue.flatMap { Int(exactly: $0) },
        isUpgrade: json["u"]?.boolValue ?? false, isOwn: json["o"]?.boolValue ?? false),
      asked: asked, waiting: json["w"]?.stringValue,
      session: json["p"].flatMap { PresentedSession(json: $0) }, startedAt: startedAt,
      expiresAt: expiresAt)
  }
}

extension RunAssurance {
  fileprivate var json: JSONObject {
    var json: JSONObject = ["l": .integer(Int64(level))]
    if let authenticatedAt { json["t"] = .integer(authenticatedAt) }
    if !factors.isEmpty { json["f"] = .array(factors.map { .string($0) }) }
    if let passwordMark { json["p"] = .string(passwordMark) }
    if let account { json["u"] = .string(account) }
    if let found { json["i"] = [.string(found.name), .string(found.id)] }
    return json
  }

  fileprivate init(json: JSONValue) {
    self.init(
      level: json["l"]?.integerValue.flatMap { Int(exactly: $0) } ?? 0,
      authenticatedAt: json["t"]?.integerValue,
      factors: json["f"]?.arrayValue?.compactMap(\.stringValue) ?? [],
      passwordMark: json["p"]?.stringValue, account: json["u"]?.stringValue)
    if let name = json["i"]?[0]?.stringValue, let id = json["i"]?[1]?.stringValue {
      found = FoundAccount(name: name, id: id)
    }
  }
}
