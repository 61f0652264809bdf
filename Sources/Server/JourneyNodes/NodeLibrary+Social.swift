internal import JourneyEngine

extension NodeLibrary {
  /// Social nodes from before SocialProviderHandlerNode.
  static func social(_ federation: FederationServices?) -> [String: NodeRegistry.Maker] {
    let node: NodeRegistry.Maker = { try SocialNode($0, federation: federation) }
    return [
      "SocialGoogleNode": node, "SocialFacebookNode": node, "SocialNode": node,
      "SocialOpenIdConnectNode": node, "SocialOAuthIgnoreProfileNode": { _ in PlainNode.ignoreProfile },
    ]
  }
}
