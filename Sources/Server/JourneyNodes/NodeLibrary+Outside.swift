internal import JourneyEngine

extension NodeLibrary {
  /// Types whose work is done outside: by scripts of the node designer, and by other hosts.
  static func outside(_ services: NodeServices) -> [String: NodeRegistry.Maker] {
    [
      "\(DesignedNodeType.prefix)*": { try DesignedNode($0, services: services) },
      "RESTNode": { try RESTNode($0, services: services) },
    ]
  }
}
