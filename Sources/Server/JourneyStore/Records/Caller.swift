public import Foundation

/// A signed-in client that asks for a change, and the right by which it may.
///
/// The right was checked before, but it may end during a change that takes a while, because a password is hashed or a body arrives slowly.
/// So the write that makes the change checks again: the session must be live, its account active, and the right still there.
public struct Caller: Sendable, Hashable {
  public enum Right: Sendable, Hashable {
    /// The session is of the account that is changed.
    case ownAccount

    /// The session's account has a role with this capability over the changed account, in its realm or in the root realm.
    case capability(Capability)
  }

  /// SHA-256 of the session's token.
  public var tokenHash: [UInt8]
  public var right: Right
  public var now: Date

  public init(tokenHash: [UInt8], right: Right, now: Date) {
    self.tokenHash = tokenHash
    self.right = right
    self.now = now
  }
}
