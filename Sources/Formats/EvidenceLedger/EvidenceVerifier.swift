/// Verifies an export as it is read: the chain in order, the devices' signatures beside it on all processors.
///
/// Memory does not grow with the export: at any time a few hundred entries are held.
public struct EvidenceVerifier: Sendable {
  /// The ledger that the export must be of; `nil` takes any, and then whoever could replace the whole file could have
  /// made a ledger of his own.
  public var fingerprint: EvidenceHash?

  /// The line of a checkpoint taken earlier, which the export must continue.
  public var earlierCheckpoint: [UInt8]?

  /// Whether to verify the devices' signatures, and that they say what the entries say.
  public var checksSignatures: Bool

  /// How many signatures may be verified at once.
  public var workers: Int

  private static let batchCount = 64

  public init(
    fingerprint: EvidenceHash? = nil, earlierCheckpoint: [UInt8]? = nil, checksSignatures: Bool = true,
    workers: Int = 1
  ) {
    self.fingerprint = fingerprint
    self.earlierCheckpoint = earlierCheckpoint
    self.checksSignatures = checksSignatures
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
    let fault = try await withThrowingTaskGroup(of: EvidenceFault?.self) { group in
      var lines = ExportLines()
      var batch = Batch(first: 1)
      var (underWay, seen) = (0, Int64(0))
      var first: EvidenceFault?
      while !check.isDecided, first == nil, let (line, isLast) = try lines.next(read) {
        guard check.take(line, isLast: isLast) else { continue }
        seen += 1
        if checksSignatures { batch.lines.append(line) }
        guard seen % Int64(Self.batchCount) == 0 else { continue }
        progress(seen)
        guard checksSignatures else { continue }
        if underWay > workers {
          first = Self.earlier(first, try await group.next() ?? nil)
          underWay -= 1
        }
        let full = batch
        group.addTask { full.firstFault }
        underWay += 1
        batch = Batch(first: seen + 1)
      }
      let rest = batch
      group.addTask { rest.firstFault }
      for try await fault in group { first = Self.earlier(first, fault) }
      return first
    }
    // A bad signature is that of an entry whose place was right, so it comes before whatever the chain has stopped at.
    if let fault { throw fault }
    return try check.result()
  }

  private static func earlier(_ one: EvidenceFault?, _ other: EvidenceFault?) -> EvidenceFault? {
    guard let one, let other else { return one ?? other }
    return (one.entry ?? 0) <= (other.entry ?? 0) ? one : other
  }

  /// Entries that follow each other.
  private struct Batch: Sendable {
    let first: Int64
    var lines: [[UInt8]] = []

    init(first: Int64) { self.first = first }

    var firstFault: EvidenceFault? {
      for (index, line) in lines.enumerated() {
        do throws(EvidenceFault) {
          try EvidenceEntry(line: line).verifySignature()
        } catch {
          return EvidenceFault(error.kind, entry: first + Int64(index), error.reason)
        }
      }
      return nil
    }
  }
}

/// Cuts pieces of bytes into lines, looking one line ahead to know which is the last.
private struct ExportLines {
  private var buffer: [UInt8] = []
  private var position = 0
  private var ahead: [UInt8]?
  private var isAtEnd = false

  /// The next line, of at most ``EvidenceEntry/maximumLineBytes``: a longer one is cut there, and is no entry.
  mutating func next(_ read: () throws -> [UInt8]) throws -> (line: [UInt8], isLast: Bool)? {
    guard let line = try ahead ?? cut(read) else { return nil }
    ahead = try cut(read)
    return (line, ahead == nil)
  }

  private mutating func cut(_ read: () throws -> [UInt8]) throws -> [UInt8]? {
    var searched = position
    while true {
      let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n"))
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
