internal import Concurrency

/// A property that a node's initialiser reads, recorded by the code that reads it, so that documentation made of these is right about
/// names, types and defaults.
public struct NodeProperty: Sendable, Hashable {
  public var name: String

  /// For people: `text`, `whole number from 1 to 300`, `true or false`.
  public var type: String

  /// The form that it has in a file.
  public var standard: String

  /// Told of every property that is read while it is set; of one that is read twice, twice.
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
/// weaker than what was written: where only that is left, the maker throws, and the node fails when a journey reaches it.
public struct PropertyRepair: Sendable, Hashable {
  public var property: String

  /// One sentence without the place, as in ``JourneyFileError/problem``.
  public var problem: String

  /// What is done instead, as one sentence.
  public var remedy: String
}

/// The repairs of one node, gathered while it is made. Not a task-local value: journeys are also loaded where there is no task. All are
/// equal, because a definition is what its file says.
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
