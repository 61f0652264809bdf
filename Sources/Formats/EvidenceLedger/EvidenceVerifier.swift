internal import Bytes
internal import Crypto
internal import Foundation

/// Verifies an export as it is read: the chain in order, the devices' signatures in parallel on all processors.
///
/// It holds a few hundred entries at a time. Of each verified entry it keeps 32 bytes, the hash of its signed token, because a token
/// must not occur twice. A million entries take some 60 MB.
public struct EvidenceVerifier: Sendable {
  /// The fingerprint of the ledger that the export must be from. `nil` accepts any, even a ledger made by somebody who replaced the
  /// whole file.
  public var fingerprint: EvidenceHash?

  /// The line of a checkpoint taken earlier, which the export must continue.
  public var earlierCheckpoint: [UInt8]?

  /// Whether to verify the devices' signatures, and that they say what the entries say.
  public var checksSignatures: Bool

  /// Whether signatures over transactions may lack the claim `txn`, as in ledgers from before devices set it.
  public var allowsPlainProofs: Bool

  /// How many signatures may be verified at once.
  public var workers: Int

  private static let batchCount = 64

  public init(
    fingerprint: EvidenceHash? = nil, earlierCheckpoint: [UInt8]? = nil, checksSignatures: Bool = true,
    allowsPlainProofs: Bool = false, workers: Int = 1
  ) {
    self.fingerprint = fingerprint
    self.earlierCheckpoint = earlierCheckpoint
    self.checksSignatures = checksSignatures
    self.allowsPlainProofs = allowsPlainProofs
    self.workers = workers
  }

  /// - Parameters:
  ///   - read: the next bytes of the export, in pieces of any size; empty at its end.
  ///   - progress: called now and then with the number of entries seen.
  /// - Throws: ``EvidenceFault`` of the first bad entry; what `read` throws.
  public func verify(
    progress: (Int64) -> Void = { _ in }, read: () throws -> [UInt8]
  ) async throws -> EvidenceExportCheck.Summary {
    var check = EvidenceExportCheck(fingerprint: fingerprint, continuing: earlierCheckpoint)
    let fault = try await withThrowingTaskGroup(of: Batch.Outcome.self) { group in
      var lines = ExportLines()
      let keys = ImportedKeys()
      var batch = Batch(first: 1, allowsPlainProofs: allowsPlainProofs, keys: keys)
      var (underWay, seen) = (0, Int64(0))
      var tokens = TokenCheck()
      while !check.isDecided, tokens.fault == nil, let (line, isLast) = try lines.next(read) {
        guard case .entry = check.take(line, isLast: isLast) else { continue }
        seen += 1
        if checksSignatures { batch.lines.append(line) }
        guard seen % Int64(Self.batchCount) == 0 else { continue }
        progress(seen)
        guard checksSignatures else { continue }
        if underWay > workers, let outcome = try await group.next() {
          tokens.take(outcome)
          underWay -= 1
        }
        let full = batch
        group.addTask { full.outcome }
        underWay += 1
        batch = Batch(first: seen + 1, allowsPlainProofs: allowsPlainProofs, keys: keys)
      }
      let rest = batch
      group.addTask { rest.outcome }
      for try await outcome in group { tokens.take(outcome) }
      return tokens.fault
    }
    // A bad signature belongs to an entry whose place was right, so it comes before the entry at which the chain stopped.
    if let fault { throw fault }
    return try check.result()
  }

  /// Consecutive entries.
  private struct Batch: Sendable {
    let first: Int64
    let allowsPlainProofs: Bool
    let keys: ImportedKeys
    var lines: [[UInt8]] = []

    /// The result of verifying their signatures.
    struct Outcome: Sendable {
      let first: Int64
      let count: Int

      /// The token hashes of the entries before the first bad one.
      var tokens: [(number: Int64, hash: SHA256Digest)] = []
      var fault: EvidenceFault?
    }

    var outcome: Outcome {
      var outcome = Outcome(first: first, count: lines.count)
      for line in lines {
        do throws(EvidenceFault) {
          let entry = try EvidenceEntry(chained: line)
          let token = try entry.verifiedSignature(allowsPlainProofs: allowsPlainProofs, keys: keys).token
          outcome.tokens.append((entry.number, token))
        } catch {
          outcome.fault = EvidenceFault(error.kind, entry: EvidenceChain.number(in: line), error.reason)
          break
        }
      }
      return outcome
    }
  }

  /// Takes batches in the order in which they are finished, and checks them in the order of their entries. A signed token may stand in
  /// one entry only.
  private struct TokenCheck {
    /// The first fault.
    private(set) var fault: EvidenceFault?

    /// The hashes of each token's signed content, header and payload as they stand (RFC 7515 §5.1). A digest takes 32 bytes without
    /// further storage; a large ledger has millions.
    private var seen: Set<SHA256Digest> = []
    private var waiting: [Int64: Batch.Outcome] = [:]
    private var next: Int64 = 1

    mutating func take(_ outcome: Batch.Outcome) {
      waiting[outcome.first] = outcome
      while fault == nil, let outcome = waiting.removeValue(forKey: next), outcome.count > 0 {
        look(at: outcome)
        next += Int64(outcome.count)
      }
    }

    private mutating func look(at outcome: Batch.Outcome) {
      for token in outcome.tokens where !seen.insert(token.hash).inserted {
        fault = EvidenceFault(
          .signature, entry: token.number, "an earlier entry has the same signed token")
        return
      }
      fault = outcome.fault
    }
  }
}

/// Cuts pieces of bytes into lines, looking one line ahead to know which is the last.
private struct ExportLines {
  private var buffer: [UInt8] = []
  private var position = 0
  private var ahead: [UInt8]?
  private var isAtEnd = false

  /// The next line, of at most ``EvidenceEntry/maximumLineBytes``: a longer one is cut there, and is not an entry.
  mutating func next(_ read: () throws -> [UInt8]) throws -> (line: [UInt8], isLast: Bool)? {
    guard let line = try ahead ?? cut(read) else { return nil }
    ahead = try cut(read)
    return (line, ahead == nil)
  }

  private mutating func cut(_ read: () throws -> [UInt8]) throws -> [UInt8]? {
    var searched = position
    while true {
      let end = buffer.withUnsafeBufferPointer { $0.firstPlace(of: UInt8(ascii: "\n"), from: searched) }
      if let end {
        defer { position = end + 1 }
        return Array(buffer[position..<end])
      }
      guard !isAtEnd, buffer.count - position <= EvidenceEntry.maximumLineBytes else {
        guard position < buffer.count else { return nil }
        defer { position = buffer.count }
        return Array(buffer[position...])
      }
      let piece = try read()
      isAtEnd = piece.isEmpty
      buffer.removeFirst(position)
      searched = buffer.count
      position = 0
      buffer += piece
    }
  }
}
