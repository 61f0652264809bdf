internal import JourneyEngine
internal import StrictJSON

/// Why a node could not do its work: a mistake in the journey, not by the user.
struct NodeError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}

extension NodeContext {
  /// The user named so far.
  ///
  /// - Throws: when an earlier node should have named one.
  func requiredUsername() throws(NodeError) -> String {
    guard let username = state.username else {
      throw NodeError(
        "the journey has not identified a user; put a node before this one that sets `username`")
    }
    return username
  }
}
