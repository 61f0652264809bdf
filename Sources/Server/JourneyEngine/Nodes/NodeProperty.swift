/// A property that making a node reads, as the code that reads it has it: documentation made of these cannot be wrong about names, types and
/// defaults.
public struct NodeProperty: Sendable, Hashable {
  public var name: String

  /// For people: `text`, `whole number from 1 to 300`, `true or false`.
  public var type: String

  /// As it would stand in a file.
  public var standard: String

  /// Told of every property that is read while it is set; of one that is read twice, twice.
  @TaskLocal public static var observer: (@Sendable (NodeProperty) -> Void)?
}

extension NodeDefinition {
  /// Says that a property is read in a way of its own; the typed ways of reading say so themselves.
  public func noteReading(
    _ property: String, as type: @autoclosure () -> String, default standard: @autoclosure () -> String
  ) {
    guard let observer = NodeProperty.observer else { return }
    observer(NodeProperty(name: property, type: type(), standard: standard()))
  }
}
