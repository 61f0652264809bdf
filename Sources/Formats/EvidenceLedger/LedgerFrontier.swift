internal import StrictJSON

/// The state of a ledger up to a signed point: enough to continue from there without reading the earlier entries.
///
/// It consists of the checkpoint and the roots of the tree's complete subtrees (RFC 9162 §2.1.2), one for each bit set in the number of
/// entries. The roots need no trust, because together they give the root that the checkpoint signs.
public struct LedgerFrontier: Sendable, Hashable {
  /// The signed head.
  public let checkpoint: VerifiedCheckpoint
  private let tree: MerkleTree

  /// Longest file in bytes.
  public static let maximumBytes = 4096

  private static let kind = "evidence-frontier"

  /// - Parameter peaks: the roots of the complete subtrees, the largest first.
  /// - Throws: ``EvidenceFault`` when they belong to another tree.
  public init(_ checkpoint: VerifiedCheckpoint, peaks: [MerkleHash]) throws(EvidenceFault) {
    guard let tree = MerkleTree(size: checkpoint.checkpoint.count, peaks: peaks), tree.root == checkpoint.root
    else { throw EvidenceFault(.rewritten, "the tree is not the one that the checkpoint signs") }
    self.checkpoint = checkpoint
    self.tree = tree
  }

  /// Reads the content of ``file``.
  ///
  /// - Throws: ``EvidenceFault`` for anything but the frontier of that checkpoint.
  public init(_ checkpoint: VerifiedCheckpoint, parsing bytes: [UInt8]) throws(EvidenceFault) {
    let limits = JSONLimits(maximumBytes: Self.maximumBytes, maximumDepth: 2)
    guard let json = try? JSONObject(parsing: bytes, limits: limits), json.count == 3,
      json["sealring"] == .string(Self.kind), json["version"] == 1,
      let peaks = MerklePath(json: json["peaks"])
    else { throw EvidenceFault(.malformed, "the file is not the frontier of a tree") }
    try self.init(checkpoint, peaks: peaks.hashes)
  }

  /// The file with the subtrees' roots, which is kept beside the checkpoint.
  public var file: [UInt8] {
    let peaks = tree.peaks.map { JSONValue.string($0.text) }
    let json: JSONObject = ["sealring": .string(Self.kind), "version": 1, "peaks": .array(peaks)]
    return json.serialized + [UInt8(ascii: "\n")]
  }

  /// The chains up to this point, to which the next entries are appended.
  ///
  /// - Parameter removed: how many entries have lost their content.
  public func chain(removed: Int64) throws(EvidenceFault) -> EvidenceChain {
    try EvidenceChain(
      header: checkpoint.header, resuming: checkpoint.checkpoint, tree: tree, removed: removed, marks: true)
  }

  /// The frontier after more entries. Its checkpoint has the proof that it continues this one.
  ///
  /// - Parameters:
  ///   - chain: the result of ``chain(removed:)`` after more entries.
  ///   - signed: the checkpoint of `chain`.
  /// - Throws: ``EvidenceFault`` when the checkpoint is of another chain.
  public func continued(
    by chain: EvidenceChain, signed: EvidenceCheckpoint
  ) throws(EvidenceFault) -> LedgerFrontier {
    guard signed.count == chain.count, signed.isHead(of: chain), chain.count >= tree.size else {
      throw EvidenceFault(.checkpoint, "the checkpoint is not of the entries that were read")
    }
    let made = try VerifiedCheckpoint(
      header: chain.header, checkpoint: signed,
      consistency: ConsistencyProof(from: tree, to: chain.tree))
    try made.requireContinuing(checkpoint)
    return try LedgerFrontier(made, peaks: chain.tree.peaks)
  }
}
