/// Something in a journey file that loads but is likely not what its author meant.
public struct JourneyWarning: Sendable, Hashable, CustomStringConvertible {
  public var journey: String
  public var realm: String
  public var nodeID: String?
  public var nodeType: String?

  /// One sentence without the place.
  public var problem: String

  public init(
    _ problem: String, journey: String, realm: String, nodeID: String? = nil, nodeType: String? = nil
  ) {
    self.problem = problem
    self.journey = journey
    self.realm = realm
    self.nodeID = nodeID
    self.nodeType = nodeType
  }

  public var description: String {
    JourneyFileError(problem, journey: "\(journey) of realm \(realm)", nodeID: nodeID, nodeType: nodeType)
      .description
  }
}
