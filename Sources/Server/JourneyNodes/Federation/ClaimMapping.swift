internal import Accounts
internal import JourneyEngine
internal import StrictJSON

/// Which claims become attributes of an account, as a node of the older kind says: `cfgAttributeMappingConfiguration`.
struct ClaimMapping: Sendable {
  private let pairs: [(claim: String, attribute: String)]

  private static let property = "cfgAttributeMappingConfiguration"

  /// PingAM's directory names, with the names used here. The link is set by the node that verified the person, so it is not mapped.
  private static let directory: [String: String?] = [
    "uid": ManagedAttribute.userName, "username": ManagedAttribute.userName,
    "mail": ManagedAttribute.mail, "iplanet-am-user-alias-list": nil,
    FederationServices.linkAttribute.lowercased(): nil,
  ]

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    definition.noteReading(Self.property, as: "object of texts", default: "{}")
    var pairs: [(claim: String, attribute: String)] = []
    for (claim, name) in try definition.object(Self.property, most: 100) {
      guard let name = name.stringValue, !name.isEmpty else {
        throw definition.wrong(Self.property, "\(claim.quoted) must have the name of an attribute")
      }
      if let known = Self.directory[name.lowercased()] {
        if let known { pairs.append((claim, known)) }
      } else if Self.isServers(name) {
        definition.repaired(
          Self.property, "makes \(claim.quoted) the attribute \(name.quoted), which is the server's own",
          instead: "It is left out.")
      } else {
        pairs.append((claim, name))
      }
    }
    self.pairs = pairs
  }

  private static func isServers(_ name: String) -> Bool {
    ManagedAttribute.reserved.contains(name.lowercased()) || ManagedAttribute.hidden.contains(name)
      || ManagedAttribute.serversOwn.contains(name)
  }

  /// The attributes of an account; without a mapping, what the standard claims make.
  func attributes(of claims: JSONObject) -> JSONObject {
    guard !pairs.isEmpty else { return ProfileTransformation.attributes(of: claims) }
    var attributes = JSONObject()
    for (claim, attribute) in pairs {
      guard let value = ProfileTransformation.trusted(claim, of: claims) else { continue }
      attributes[attribute] = .string(value)
    }
    return attributes
  }
}
