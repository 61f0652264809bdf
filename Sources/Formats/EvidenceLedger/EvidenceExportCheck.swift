/// Checks an export line by line, in constant memory: header, chain, checkpoint. It does not check the signatures of the devices:
/// ``EvidenceEntry/verifySignature(allowsPlainProofs:)`` does, if you like in parallel.
///
/// It takes lines until ``isDecided``; ``result()`` then returns the outcome.
public struct EvidenceExportCheck: Sendable {
  /// The header and the checkpoint of a complete export.
  public struct Summary: Sendable, Hashable {
    public var header: EvidenceHeader
    public var checkpoint: EvidenceCheckpoint
  }

  private enum State {
    case start
    /// ``chain`` grows.
    case entries
    /// An entry is missing; whether it comes later decides if it was moved or removed.
    case missing(EvidenceFault, count: Int64)
    case complete(Summary)
    case failed(EvidenceFault)
  }

  private var state = State.start

  /// The entries so far. The chain is kept outside the state so that it can grow in place.
  private var chain: EvidenceChain?
  private let fingerprint: EvidenceHash?
  private let earlier: [UInt8]?
  private var milestone: EvidenceCheckpoint?

  /// - Parameters:
  ///   - fingerprint: the fingerprint of the ledger that the export must be from; `nil` accepts any.
  ///   - earlier: the line of a checkpoint taken earlier, which this export must continue.
  public init(fingerprint: EvidenceHash? = nil, continuing earlier: [UInt8]? = nil) {
    self.fingerprint = fingerprint
    self.earlier = earlier
  }

  /// Whether no further line can change the result.
  public var isDecided: Bool { if case .failed = state { true } else { false } }

  /// Takes the next line.
  ///
  /// - Parameters:
  ///   - line: the line without its line end.
  ///   - isLast: whether the file ends after it.
  /// - Returns: the entry in the line, when it is at its place; `nil` for all other lines.
  public mutating func take(_ line: [UInt8], isLast: Bool) -> EvidenceChain.Taken? {
    do throws(EvidenceFault) {
      switch state {
      case .start:
        chain = try begin(line)
        state = .entries
      case .entries:
        guard !EvidenceCheckpoint.begins(line), !isLast || Self.looksLikeEntry(line) else {
          if let chain { state = .complete(try end(line, of: chain)) }
          return nil
        }
        let taken: EvidenceChain.Taken?
        do throws(EvidenceFault) { taken = try chain?.append(line) } catch {
          guard !(isLast && error.kind == .malformed) else {
            throw EvidenceFault(.cut, entry: error.entry, "the export ends in the middle of it")
          }
          guard error.kind == .removed, let missing = error.entry, EvidenceLane(of: missing) == .first else {
            throw error
          }
          state = .missing(error, count: missing)
          return nil
        }
        if milestone != nil, let chain { try compareWithMilestone(chain) }
        return taken
      case .missing(let fault, let number):
        guard EvidenceChain.isEntry(number, line) else { return nil }
        throw EvidenceFault(.reordered, entry: fault.entry, "it appears after later entries")
      case .complete(let summary):
        throw EvidenceFault(
          .added, entry: summary.checkpoint.next, "there are lines after the checkpoint")
      case .failed: break
      }
    } catch {
      state = .failed(error)
    }
    return nil
  }

  /// The outcome of the check. Call it after the last line, or when ``isDecided``.
  ///
  /// - Throws: ``EvidenceFault``, the first one.
  public func result() throws(EvidenceFault) -> Summary {
    switch state {
    case .complete(let summary): return summary
    case .failed(let fault), .missing(let fault, _): throw fault
    case .start: throw EvidenceFault(.header, "the file is empty")
    case .entries:
      let count = chain?.count ?? 0
      throw EvidenceFault(
        .cut, entry: chain?.next,
        "the export ends without a checkpoint\(count > 0 ? " after \(chain?.next == nil ? "\(count) entries" : "entry \(count)")" : "")"
      )
    }
  }

  private mutating func begin(_ line: [UInt8]) throws(EvidenceFault) -> EvidenceChain {
    let header = try EvidenceHeader(line: line)
    if let fingerprint { try header.requireFingerprint(fingerprint) }
    if let earlier {
      do throws(EvidenceFault) { milestone = try EvidenceCheckpoint(line: earlier, header: header) } catch {
        throw EvidenceFault(.ledger, "the earlier checkpoint is not of this ledger: \(error.reason)")
      }
    }
    let chain = EvidenceChain(header: header)
    try compareWithMilestone(chain)
    return chain
  }

  private func compareWithMilestone(_ chain: EvidenceChain) throws(EvidenceFault) {
    guard let milestone, milestone.count == chain.count, !milestone.isHead(of: chain) else { return }
    throw EvidenceFault(
      .rewritten, entry: chain.last,
      "it, or an entry before it, differs from what the earlier checkpoint signed")
  }

  private func end(_ line: [UInt8], of chain: EvidenceChain) throws(EvidenceFault) -> Summary {
    let checkpoint = try EvidenceCheckpoint(line: line, header: chain.header)
    guard checkpoint.count <= chain.count else {
      throw EvidenceFault(
        .removed, entry: chain.next,
        chain.next == nil || !checkpoint.lanes.isEmpty
          ? "the checkpoint counts \(checkpoint.count) entries, and \(chain.count) are there"
          : "it and all others up to entry \(checkpoint.count), which the checkpoint counts, are missing")
    }
    guard checkpoint.count == chain.count else {
      throw EvidenceFault(
        .added, entry: checkpoint.next, "the checkpoint counts only \(checkpoint.count) entries")
    }
    guard checkpoint.isHead(of: chain) else {
      throw EvidenceFault(
        .rewritten, entry: chain.last, "it, or an entry before it, differs from what the checkpoint signs")
    }
    guard checkpoint.removed == chain.removed else {
      throw EvidenceFault(
        .removed,
        "\(chain.removed) entries have lost their content, and the checkpoint says \(checkpoint.removed)")
    }
    if let milestone, milestone.count > chain.count {
      throw EvidenceFault(
        .removed, entry: chain.next, "the earlier checkpoint counts \(milestone.count) entries")
    }
    return Summary(header: chain.header, checkpoint: checkpoint)
  }

  /// Tells the torn line of an entry from a damaged checkpoint.
  private static func looksLikeEntry(_ line: [UInt8]) -> Bool {
    [Array(#"{"number":"#.utf8), RemovedEntry.start].contains { line.starts(with: $0.prefix(line.count)) }
  }
}

extension EvidenceChain {
  /// The number of the last entry when only lane 0 has entries; else `nil`.
  fileprivate var last: Int64? { next.map { $0 - 1 } }
}

extension EvidenceCheckpoint {
  /// The number of the entry after the last when there is lane 0 alone; else `nil`.
  fileprivate var next: Int64? { lanes.isEmpty ? count + 1 : nil }
}
