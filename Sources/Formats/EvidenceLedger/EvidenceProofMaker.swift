/// Makes checkpoints and proofs from an export that is read once, from the front. It holds one entry and some dozens of hashes, however
/// long the export is.
///
/// It verifies the chain and the checkpoint at its end; ``EvidenceVerifier`` verifies the devices' signatures.
public struct EvidenceProofMaker: Sendable {
  /// The checkpoint or proof to make.
  public enum Goal: Sendable, Hashable {
    /// The checkpoint at the end of the export, with the proof that it continues the earlier one, if there is one.
    case checkpoint(since: VerifiedCheckpoint?)

    /// The proof that the entry of this number is in the tree of a checkpoint; `nil` for the checkpoint at the end of the export.
    case inclusion(Int64, at: VerifiedCheckpoint?)
  }

  /// The checkpoint or proof that was made.
  public enum Made: Sendable, Hashable {
    case checkpoint(VerifiedCheckpoint)
    case inclusion(VerifiedInclusion)
  }

  private let goal: Goal
  private let milestone: VerifiedCheckpoint?
  private var check: EvidenceExportCheck

  /// The tree at the milestone, with the path of the entry in it.
  private var earlier: MerkleTree?
  private var tree = MerkleTree()
  private var found: Found?

  /// The requested entry.
  private struct Found: Sendable {
    var index: Int64

    /// `nil` when its content was removed.
    var line: [UInt8]?
  }

  /// The beginning of a line, and the complete line before it, which may be the last of the export.
  private var rest: [UInt8] = []
  private var waiting: [UInt8]?

  public init(_ goal: Goal) {
    self.goal = goal
    switch goal {
    case .checkpoint(let since): milestone = since
    case .inclusion(_, let published): milestone = published
    }
    check = EvidenceExportCheck(
      fingerprint: milestone?.header.fingerprint, continuing: milestone?.checkpoint.line)
  }

  /// The roots of the complete subtrees over the entries so far, the largest first.
  public var peaks: [MerkleHash] { tree.peaks }

  /// Takes the next bytes of the export.
  ///
  /// - Throws: ``EvidenceFault``; then the export is unusable.
  public mutating func take(_ piece: [UInt8]) throws(EvidenceFault) {
    rest += piece
    var start = 0
    while let end = rest[start...].firstIndex(of: UInt8(ascii: "\n")) {
      if let waiting { try look(at: waiting, isLast: false) }
      waiting = Array(rest[start..<end])
      start = end + 1
    }
    rest.removeFirst(start)
    guard rest.count <= EvidenceEntry.maximumLineBytes else {
      throw EvidenceFault(.malformed, entry: tree.size + 1, "its line is too long for an entry")
    }
  }

  /// Ends the export.
  ///
  /// - Throws: ``EvidenceFault``.
  public mutating func finish() throws(EvidenceFault) -> Made {
    if !rest.isEmpty { try take([UInt8(ascii: "\n")]) }
    if let waiting { try look(at: waiting, isLast: true) }
    let summary = try check.result()
    switch goal {
    case .checkpoint(let since):
      let made = try VerifiedCheckpoint(
        header: summary.header, checkpoint: summary.checkpoint,
        consistency: earlier.flatMap { ConsistencyProof(from: $0, to: tree) })
      if let since { try made.requireContinuing(since) }
      return .checkpoint(made)
    case .inclusion(let number, let published):
      let whole = published == nil ? tree : earlier
      guard let whole, let found, found.index < whole.size, let path = MerklePath(whole.path) else {
        throw EvidenceFault(
          .missing,
          "there is no entry \(number) among the \(published?.checkpoint.count ?? tree.size) entries")
      }
      guard let entry = found.line else {
        throw EvidenceFault(
          .missing, entry: number, "its content was removed; a proof that was made before still holds")
      }
      let proof = UnverifiedInclusion(
        header: summary.header.text, entry: String(decoding: entry, as: UTF8.self),
        index: found.index == number - 1 ? nil : found.index, path: path,
        checkpoint: published?.checkpoint.jws ?? summary.checkpoint.jws)
      return .inclusion(try proof.included())
    }
  }

  private mutating func look(at line: [UInt8], isLast: Bool) throws(EvidenceFault) {
    if let taken = check.take(line, isLast: isLast) {
      var isWanted = false
      if case .inclusion(let wanted, _) = goal {
        switch taken {
        case .entry(wanted, _): found = Found(index: tree.size, line: line)
        case .removed(wanted, _): found = Found(index: tree.size)
        default: break
        }
        isWanted = found?.index == tree.size
      }
      tree.append(.leaf(taken.hash.bytes), marking: isWanted)
      if let milestone, milestone.checkpoint.count == tree.size {
        earlier = tree
        if case .checkpoint = goal { tree.markNow() }
      }
    }
    if check.isDecided { _ = try check.result() }
  }
}
