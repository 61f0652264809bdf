/// A proof that a node has judged to be right, and that is made to count in the write that makes the journey's session. What it is
/// only nodes and sessions know.
public struct DeferredProof: Sendable, Hashable {
  public let proof: any Hashable & Sendable

  public init(_ proof: any Hashable & Sendable) { self.proof = proof }

  public static func == (one: Self, other: Self) -> Bool {
    AnyHashable(one.proof) == AnyHashable(other.proof)
  }

  public func hash(into hasher: inout Hasher) { AnyHashable(proof).hash(into: &hasher) }
}
