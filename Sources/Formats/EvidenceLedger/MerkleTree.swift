/// A Merkle tree of the shape of RFC 9162 §2.1 that grows leaf by leaf and keeps no more than the roots of its complete
/// subtrees: as many as its size has bits set.
///
/// One node can be marked. Its path to the root, which proves that it is in the tree, is collected while the tree grows: a proof
/// takes one pass over the leaves, and the size need not be known before.
public struct MerkleTree: Sendable, Hashable {
  /// How many leaves there are.
  public private(set) var size: Int64 = 0

  /// Roots of the complete subtrees, the largest first; their sizes are the bits of ``size``.
  private var subtrees: [Node] = []

  /// The siblings of the marked node and of the nodes above it, as far as they are complete.
  private var marked: [MerkleHash] = []

  private struct Node: Sendable, Hashable {
    var hash: MerkleHash
    var isMarked: Bool
  }

  public init() {}

  /// The tree of that size whose complete subtrees have these roots, the largest first; `nil` when their number does not fit the size.
  public init?(size: Int64, peaks: [MerkleHash]) {
    guard size >= 0, size.nonzeroBitCount == peaks.count else { return nil }
    self.size = size
    subtrees = peaks.map { Node(hash: $0, isMarked: false) }
  }

  /// The roots of the complete subtrees, the largest first.
  public var peaks: [MerkleHash] { subtrees.map(\.hash) }

  /// Adds a leaf.
  ///
  /// - Parameter marking: whether this is the leaf that ``path`` is about. At most one node may be marked.
  public mutating func append(_ leaf: MerkleHash, marking: Bool = false) {
    var node = Node(hash: leaf, isMarked: marking)
    // Each trailing 1 of the size is a complete subtree that the new one makes twice as large.
    for _ in 0..<(~size).trailingZeroBitCount {
      guard let left = subtrees.popLast() else { break }
      node = Self.join(left, node, &marked)
    }
    subtrees.append(node)
    size += 1
  }

  /// Marks the smallest complete subtree, so that ``path`` leads from the current tree to a later one.
  public mutating func markNow() {
    guard !subtrees.isEmpty else { return }
    subtrees[subtrees.count - 1].isMarked = true
  }

  /// The root (RFC 9162 §2.1.1).
  public var root: MerkleHash { summit.root }

  /// The siblings of the nodes from the marked node to the root, from below (RFC 9162 §2.1.3.1); empty without a marked node.
  public var path: [MerkleHash] { summit.path }

  /// The hash of the smallest complete subtree; `nil` in the empty tree.
  var last: MerkleHash? { subtrees.last?.hash }

  private var summit: (root: MerkleHash, path: [MerkleHash]) {
    guard var node = subtrees.last else { return (.empty, []) }
    var path = marked
    for left in subtrees.dropLast().reversed() { node = Self.join(left, node, &path) }
    return (node.hash, path)
  }

  private static func join(_ left: Node, _ right: Node, _ path: inout [MerkleHash]) -> Node {
    if left.isMarked { path.append(right.hash) }
    if right.isMarked { path.append(left.hash) }
    return Node(hash: .node(left.hash, right.hash), isMarked: left.isMarked || right.isMarked)
  }
}
