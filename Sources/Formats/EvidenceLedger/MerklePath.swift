internal import StrictJSON

/// The hashes of a proof about a ``MerkleTree``. They prove nothing until they are verified.
public struct MerklePath: Sendable, Hashable {
  public let hashes: [MerkleHash]

  /// A tree of 2⁶³ leaves has proofs of 63 hashes (inclusion) or 64 (consistency).
  public static let maximumCount = 64

  /// `nil` when it is longer than any proof can be.
  public init?(_ hashes: [MerkleHash]) {
    guard hashes.count <= Self.maximumCount else { return nil }
    self.hashes = hashes
  }

  /// The root that a leaf belongs to if this is the proof of its inclusion (RFC 9162 §2.1.3.2).
  ///
  /// - Parameter index: the leaf's index, from 0.
  /// - Returns: `nil` when there is no such leaf in a tree of that size, or the length is not that of its proof.
  public func root(of leaf: MerkleHash, index: Int64, size: Int64) -> MerkleHash? {
    guard index >= 0, index < size else { return nil }
    var (node, last, hash) = (index, size - 1, leaf)
    for sibling in hashes {
      guard last > 0 else { return nil }
      if node & 1 == 1 || node == last {
        hash = .node(sibling, hash)
        while node & 1 == 0, node > 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        hash = .node(hash, sibling)
      }
      (node, last) = (node >> 1, last >> 1)
    }
    return last == 0 ? hash : nil
  }

  /// Whether this proves that the later tree begins with the leaves of the earlier one (RFC 9162 §2.1.4.2).
  ///
  /// Every tree continues the empty one and itself. In these cases the path must be empty.
  public func proves(
    _ later: MerkleHash, size: Int64, continues earlier: MerkleHash, size earlierSize: Int64
  ) -> Bool {
    guard earlierSize >= 0, earlierSize <= size else { return false }
    guard earlierSize > 0 else { return hashes.isEmpty && earlier == .empty }
    guard earlierSize < size else { return hashes.isEmpty && earlier == later }
    // A complete earlier tree is a node of the later one, which the proof leaves out.
    var rest = hashes[...]
    let isComplete = earlierSize & (earlierSize - 1) == 0
    guard let start = isComplete ? earlier : rest.popFirst() else { return false }
    var (node, last) = (earlierSize - 1, size - 1)
    while node & 1 == 1 { (node, last) = (node >> 1, last >> 1) }
    var (before, after) = (start, start)
    for sibling in rest {
      guard last > 0 else { return false }
      if node & 1 == 1 || node == last {
        (before, after) = (.node(sibling, before), .node(sibling, after))
        while node & 1 == 0, node > 0 { (node, last) = (node >> 1, last >> 1) }
      } else {
        after = .node(after, sibling)
      }
      (node, last) = (node >> 1, last >> 1)
    }
    return last == 0 && before == earlier && after == later
  }

  var json: JSONValue { .array(hashes.map { .string($0.text) }) }

  /// `nil` for anything but an array of at most ``maximumCount`` hashes.
  init?(json: JSONValue?) {
    guard let values = json?.arrayValue, values.count <= Self.maximumCount else { return nil }
    let hashes = values.compactMap { $0.stringValue.flatMap { MerkleHash($0) } }
    guard hashes.count == values.count else { return nil }
    self.hashes = hashes
  }
}

extension ConsistencyProof {
  /// The proof from an earlier tree to a later one whose node was marked by ``MerkleTree/markNow()`` at the earlier size
  /// (RFC 9162 §2.1.4.1); `nil` where none is needed, from the empty tree and to the same one.
  init?(from earlier: MerkleTree, to later: MerkleTree) {
    guard earlier.size > 0, earlier.size < later.size else { return nil }
    let isComplete = earlier.size & (earlier.size - 1) == 0
    let start = isComplete ? [] : [earlier.last].compactMap(\.self)
    guard let path = MerklePath(start + later.path) else { return nil }
    self.init(from: earlier.size, path: path)
  }
}
