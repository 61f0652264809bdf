internal import JourneyEngine
internal import StrictJSON

extension NodeDefinition {
  /// Where the client goes after success (`SetSuccessUrlNode`, the variable ``StateKey/successURL``) or failure (`SetFailureUrlNode`); the
  /// property has the variable's name.
  func setDestinationNode(_ variable: String) throws(JourneyFileError) -> PlainNode {
    let url = try string(variable)
    let isDestination = Self.isDestination(url)
    if !isDestination {
      repaired(
        variable, "must be an address that begins with https://, http:// or a single slash",
        instead: "The journey continues without it.")
    }
    return PlainNode(stateOutputs: [variable]) { context in
      if isDestination { context.state.shared[variable] = .string(url) }
      return .outcome("outcome")
    }
  }

  /// Refuses addresses that a browser would run, and hosts that look like a path.
  private static func isDestination(_ text: String) -> Bool {
    guard text.utf8.count <= 2048, text.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x5C }) else {
      return false
    }
    if text.hasPrefix("/") { return !text.hasPrefix("//") }
    return text.hasPrefix("https://") || text.hasPrefix("http://")
  }
}
