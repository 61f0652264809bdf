import Bytes
import CommonFixtures
import EvidenceLedger
import Testing

/// The tree as RFC 9162 §2.1 defines it, by recursion over all leaves: what the growing one is compared with.
private struct DefinedTree {
  var leaves: [MerkleHash]

  var root: MerkleHash {
    guard leaves.count > 1 else { return leaves.first ?? .empty }
    return .node(left.root, right.root)
  }

  /// §2.1.3.1.
  func inclusion(_ index: Int) -> [MerkleHash] {
    guard leaves.count > 1 else { return [] }
    return index < split
      ? left.inclusion(index) + [right.root] : right.inclusion(index - split) + [left.root]
  }

  /// §2.1.4.1, SUBPROOF.
  func consistency(_ size: Int, _ isWhole: Bool = true) -> [MerkleHash] {
    if size == leaves.count { return isWhole ? [] : [root] }
    return size <= split
      ? left.consistency(size, isWhole) + [right.root]
      : right.consistency(size - split, false) + [left.root]
  }

  private var split: Int {
    var split = 1
    while split * 2 < leaves.count { split *= 2 }
    return split
  }
  private var left: DefinedTree { DefinedTree(leaves: Array(leaves[..<split])) }
  private var right: DefinedTree { DefinedTree(leaves: Array(leaves[split...])) }
}

@Suite struct MerkleTreeTests {
  private static let largest = 40
  private static let leaves = (0..<largest).map { MerkleHash.leaf([UInt8($0)]) }

  private static func tree(_ size: Int, marking index: Int? = nil, at marked: Int? = nil) -> MerkleTree {
    var tree = MerkleTree()
    for place in 0..<size {
      tree.append(leaves[place], marking: place == index)
      if place + 1 == marked { tree.markNow() }
    }
    return tree
  }

  /// The consistency proof of one pass: the smallest complete subtree of the earlier tree, unless that is all of it, and its path.
  private static func consistency(_ earlier: Int, _ size: Int) -> [MerkleHash] {
    DefinedTree(leaves: Array(leaves[..<size])).consistency(earlier)
  }

  @Test func `roots and proofs are those of the reference implementation`() throws {
    let inputs = [
      "", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f",
    ]
    let roots = [
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
      "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
      "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
      "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
      "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
      "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
      "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]
    var tree = MerkleTree()
    #expect(tree.root.bytes.hexadecimal == roots[0])
    for (index, input) in inputs.enumerated() {
      tree.append(.leaf(try #require(Hexadecimal.decode(input))), marking: index == 0)
      #expect(tree.root.bytes.hexadecimal == roots[index + 1])
    }
    #expect(
      tree.path.map { $0.bytes.hexadecimal } == [
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
      ])
  }

  @Test(arguments: 0...largest) func `the growing tree is the defined one`(size: Int) throws {
    let defined = DefinedTree(leaves: Array(Self.leaves[..<size]))
    #expect(Self.tree(size).root == defined.root)
    for index in 0..<size {
      let path = Self.tree(size, marking: index).path
      #expect(path == defined.inclusion(index))
      let proof = try #require(MerklePath(path))
      #expect(
        proof.root(of: Self.leaves[index], index: Int64(index), size: Int64(size)) == defined.root)
    }
  }

  @Test(arguments: 1...largest) func `a tree is shown to continue every earlier one`(size: Int) throws {
    let root = Self.tree(size).root
    for earlier in 1...size {
      let defined = Self.consistency(earlier, size)
      // A complete tree is itself the marked node, which a proof leaves out.
      let isComplete = earlier & (earlier - 1) == 0
      if earlier < size {
        let path = Self.tree(size, at: earlier).path
        #expect(isComplete ? path == defined : path == Array(defined.dropFirst()))
      }
      let proof = try #require(MerklePath(defined))
      let old = Self.tree(earlier).root
      #expect(proof.proves(root, size: Int64(size), continues: old, size: Int64(earlier)))
      #expect(!proof.proves(root, size: Int64(size), continues: .leaf([99]), size: Int64(earlier)))
      #expect(!proof.proves(.leaf([99]), size: Int64(size), continues: old, size: Int64(earlier)))
    }
  }

  @Test(arguments: [(1, 8), (3, 7), (4, 7), (6, 7), (6, 8), (7, 32), (31, 33), (32, 33)])
  func `proofs of wrong length, order, hash or size are refused`(sizes: (Int, Int)) throws {
    let (earlier, size) = (Int64(sizes.0), Int64(sizes.1))
    let (old, root) = (Self.tree(sizes.0).root, Self.tree(sizes.1).root)
    let leaf = Self.leaves[sizes.0 - 1]
    func isAccepted(_ consistency: [MerkleHash], _ earlier: Int64, _ size: Int64) -> Bool {
      MerklePath(consistency)?.proves(root, size: size, continues: old, size: earlier) ?? false
    }
    func isIncluded(_ path: [MerkleHash], _ index: Int64, _ size: Int64) -> Bool {
      MerklePath(path)?.root(of: leaf, index: index, size: size) == root
    }
    let consistency = Self.consistency(sizes.0, sizes.1)
    let path = Self.tree(sizes.1, marking: sizes.0 - 1).path
    #expect(isAccepted(consistency, earlier, size) && isIncluded(path, earlier - 1, size))
    for wrong in Self.lies(consistency) { #expect(!isAccepted(wrong, earlier, size)) }
    for wrong in Self.lies(path) { #expect(!isIncluded(wrong, earlier - 1, size)) }
    for other in [-1, 0, earlier - 1, earlier + 1, size, size + 1, Int64.max] where other != earlier {
      #expect(!isAccepted(consistency, other, size))
      #expect(!isIncluded(path, other - 1, size) || other == earlier)
    }
    for other in [Int64.min, -1, 0, earlier, .max] { #expect(!isAccepted(consistency, earlier, other)) }
    for other in [Int64.min, -1, 0, earlier - 1, .max] { #expect(!isIncluded(path, earlier - 1, other)) }
  }

  /// A proof with something wrong in it.
  private static func lies(_ proof: [MerkleHash]) -> [[MerkleHash]] {
    var lies = [
      [], Array(proof.dropLast()), Array(proof.dropFirst()), proof + [leaves[0]], [leaves[0]] + proof,
    ]
    if proof.count > 1 { lies += [proof.reversed(), proof + proof] }
    for index in proof.indices {
      var changed = proof
      changed[index] = .leaf([77])
      lies.append(changed)
    }
    return lies + [Array(repeating: leaves[0], count: 65)]
  }

  @Test func `a node cannot pass for a leaf`() {
    let (left, right) = (Self.leaves[0], Self.leaves[1])
    #expect(MerkleHash.leaf(left.bytes + right.bytes) != .node(left, right))
  }

  @Test func `the largest sizes neither overflow nor trap`() throws {
    let path = try #require(MerklePath(Array(repeating: .empty, count: MerklePath.maximumCount)))
    for index in [0, 1, Int64.max - 2, .max - 1, .max] {
      _ = path.root(of: .empty, index: index, size: .max)
      #expect(!path.proves(.empty, size: .max, continues: .empty, size: index))
    }
    #expect(MerklePath(Array(repeating: .empty, count: 65)) == nil)
  }
}
