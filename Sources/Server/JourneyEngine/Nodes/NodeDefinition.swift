public import StrictJSON

/// A node as the journey file describes it.
public struct NodeDefinition: Sendable, Hashable {
  /// The node's id in the file.
  public var id: String

  /// The node type, for example `DeviceBindingNode`.
  public var type: String

  /// What editors and error messages call it; may be empty.
  public var displayName: String

  /// All members of the node's object in the file, also unused ones.
  public var properties: JSONObject

  /// The definitions of a page's inner nodes, in order; empty for all others.
  public var innerNodes: [NodeDefinition]

  /// Scripts, e-mail templates and designed node types of the file.
  public var attachments = JourneyAttachments()

  /// Gathers what ``repaired(_:_:instead:)`` reports; `nil` while no node is made of this.
  var repairs: RepairLog?

  public init(
    id: String, type: String, displayName: String = "", properties: JSONObject = JSONObject(),
    innerNodes: [NodeDefinition] = []
  ) {
    self.id = id
    self.type = type
    self.displayName = displayName
    self.properties = properties
    self.innerNodes = innerNodes
  }
}

/// Makes nodes of known types from definitions. The node library fills one; it never changes while journeys run.
public struct NodeRegistry: Sendable {
  /// Compiles a definition; throws ``JourneyFileError`` naming the property that is wrong.
  public typealias Maker = @Sendable (NodeDefinition) throws -> any JourneyNode

  private let makers: [String: Maker]

  /// The makers of families of types, with the prefix of their types, the longest first.
  private let families: [(prefix: String, maker: Maker)]

  /// - Parameter makers: by type; a name that ends with `*` is for all types that begin with what stands before it.
  public init(_ makers: [String: Maker]) {
    self.makers = makers
    families = makers.filter { $0.key.hasSuffix("*") }.map { (String($0.key.dropLast()), $0.value) }
      .sorted { $0.0.utf8.count > $1.0.utf8.count }
  }

  /// This registry with further types.
  public func adding(_ others: [String: Maker]) -> NodeRegistry {
    NodeRegistry(makers.merging(others) { _, other in other })
  }

  /// The types that are known, by name.
  public var types: [String] { makers.keys.sorted() }

  /// The maker for `type`; `nil` when the type is unknown.
  public func maker(for type: String) -> Maker? {
    makers[type] ?? families.first { type.hasPrefix($0.prefix) }?.maker
  }
}
