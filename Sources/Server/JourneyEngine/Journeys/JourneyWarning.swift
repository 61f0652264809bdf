/// Something in a journey file that loads but is likely a mistake.
public struct JourneyWarning: Sendable, Hashable, CustomStringConvertible {
  /// The kind of mistake, for programs; later versions may add kinds.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ description: String) { self.description = description }

    /// What the node itself says about its properties.
    public static let configuration = Kind("configuration")
    /// A note for people who move a journey here; nothing is wrong.
    public static let note = Kind("note")
    /// A property's value cannot be used as written; the remedy says what is done instead.
    public static let replacedValue = Kind("replacedValue")
    /// The node cannot be made of its properties: the journey fails when it gets there.
    public static let unplayable = Kind("unplayable")
    /// The server does not know the node's type: the journey fails when it gets there.
    public static let unknownType = Kind("unknownType")
    /// Several files have different designed node types of this name.
    public static let ambiguousType = Kind("ambiguousType")
    public static let unconnectedOutcome = Kind("unconnectedOutcome")
    public static let unusedConnection = Kind("unusedConnection")
    public static let unreachable = Kind("unreachable")
    /// No way leads from the node to an end.
    public static let deadEnd = Kind("deadEnd")
    public static let missingState = Kind("missingState")
    /// A storage node behind a node that stores by itself.
    public static let notPostponed = Kind("notPostponed")
    public static let missingScript = Kind("missingScript")
    public static let missingTemplate = Kind("missingTemplate")
    public static let missingInnerJourney = Kind("missingInnerJourney")
  }

  /// One sentence without the place.
  public var problem: String
  public var kind: Kind

  /// What to do about it, as one sentence; empty when the problem says it.
  public var remedy = ""
  public var journey: String
  public var realm: String
  public var nodeID: String?
  public var nodeType: String?

  /// What the editor shows for the node; may be empty.
  public var nodeName: String?
  public var property: String?

  /// Whether nothing has to be done about the warning, so that it does not count where warnings are errors: it is about a part of another
  /// server's export that this server replaces by its own means.
  public var isNote: Bool { kind == .note || kind == .missingTemplate }

  /// Whether the journey behaves differently from what was written: a node fails when it is reached, or a value is replaced.
  public var isDeviation: Bool {
    [.unplayable, .replacedValue, .unknownType, .missingScript, .missingInnerJourney].contains(kind)
  }

  public var description: String {
    JourneyFileError(
      problem, journey: "\(journey) of realm \(realm)", nodeID: nodeID, nodeType: nodeType, property: property
    ).description
  }
}

extension JourneyWarning {
  init(
    _ problem: String, kind: Kind, remedy: String = "", at node: CompiledNode, of journey: CompiledJourney,
    property: String? = nil
  ) {
    self.init(
      problem: problem, kind: kind, remedy: remedy, journey: journey.name, realm: journey.realm,
      nodeID: node.id,
      nodeType: node.type, nodeName: node.displayName, property: property)
  }
}

/// What is wrong with a journey file: which journey, node, type and property, and what to do about it.
public struct JourneyFileError: Error, Sendable, Hashable, CustomStringConvertible {
  public var journey: String?
  public var nodeID: String?
  public var nodeType: String?

  /// What the editor shows for the node.
  public var nodeName: String?
  public var property: String?

  /// One sentence without the place.
  public var problem: String

  public init(
    _ problem: String, journey: String? = nil, nodeID: String? = nil, nodeType: String? = nil,
    property: String? = nil
  ) {
    self.problem = problem
    self.journey = journey
    self.nodeID = nodeID
    self.nodeType = nodeType
    self.property = property
  }

  public var description: String {
    let parts = [("journey", journey), ("node", nodeID), ("type", nodeType), ("property", property)]
    let place = parts.compactMap { name, value in value.map { "\(name) \($0)" } }
    return (place.isEmpty ? "" : place.joined(separator: ", ") + ": ") + problem
  }
}
