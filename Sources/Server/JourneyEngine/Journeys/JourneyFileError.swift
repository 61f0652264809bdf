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
