internal import Concurrency
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

  /// The makers of families of types, each with the prefix of its types, longest prefix first.
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

/// A property that a node's initialiser reads, recorded by the code that reads it, so that documentation made of these is right about
/// names, types and defaults.
public struct NodeProperty: Sendable, Hashable {
  public var name: String

  /// For people: `text`, `whole number from 1 to 300`, `true or false`.
  public var type: String

  /// The default, in the form that it has in a file.
  public var standard: String

  /// Called with every property that is read while it is set; twice with one that is read twice.
  @TaskLocal public static var observer: (@Sendable (NodeProperty) -> Void)?
}

extension NodeDefinition {
  /// Reports that a property is read in a custom way; the typed accessors report it themselves.
  public func noteReading(
    _ property: String, as type: @autoclosure () -> String, default standard: @autoclosure () -> String
  ) {
    guard let observer = NodeProperty.observer else { return }
    observer(NodeProperty(name: property, type: type(), standard: standard()))
  }
}

/// A property whose value this server cannot use as written, and what it does instead.
///
/// PingAM accepts more than its own editor offers, so what it has exported must load (``JourneyWarning``). A repair never makes a node
/// weaker than what was written: where no other repair is possible, the maker throws, and the node fails when a journey reaches it.
public struct PropertyRepair: Sendable, Hashable {
  public var property: String

  /// One sentence without the place, as in ``JourneyFileError/problem``.
  public var problem: String

  /// What is done instead, as one sentence.
  public var remedy: String
}

/// The repairs of one node, gathered while it is made. Not a task-local value, because journeys are also loaded outside tasks. All logs are
/// equal, so that they do not affect whether two definitions are.
final class RepairLog: Sendable, Hashable {
  private let gathered = Locked<[PropertyRepair]>([])

  var repairs: [PropertyRepair] { gathered.withLock { $0 } }

  func add(_ repair: PropertyRepair) { gathered.withLock { $0.append(repair) } }

  static func == (left: RepairLog, right: RepairLog) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

extension NodeDefinition {
  /// Reports that the value of `property` is replaced: `repaired("defaultChoice", "is not one of the choices", instead: "The first
  /// choice is the default.")`.
  public func repaired(_ property: String, _ problem: String, instead remedy: String) {
    repairs?.add(PropertyRepair(property: property, problem: problem, remedy: remedy))
  }
}
