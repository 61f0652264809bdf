import EvidenceLedger
import JourneyStore
import StrictJSON

/// What administrators and auditors read afterwards, page by page.
extension AdministrationClient {
  private static let largestPage = 200

  /// Entries of the ledger, the newest first. Each is the one that its hash says, else this throws.
  func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    var entries: [EvidenceEntry] = []
    try await records("audit/evidence", query) { entries.append(try EvidenceEntry.sent($0)) }
    return entries
  }

  /// The entry of that number.
  func evidence(number: Int64) async throws -> EvidenceEntry {
    try EvidenceEntry.sent(try await entry(number, "audit/evidence/\(number)"))
  }

  private func entry(_ number: Int64, _ path: String) async throws -> JSONValue {
    do { return try await get(path) } catch let failure as CommandFailure
      where failure.code == .notFound && failure.description.contains("evidence")
    {
      throw CommandFailure.notFound(
        "There is no entry \(number) in this realm. `sealring audit list` shows what there is.")
    }
  }

  /// The proof that the entry is in the server's ledger, verified here.
  ///
  /// - Parameter allowsPlainProofs: as in `EvidenceEntry/verifySignature(allowsPlainProofs:)`.
  func proof(number: Int64, allowsPlainProofs: Bool) async throws -> VerifiedInclusion {
    let file = try await entry(number, "audit/evidence/\(number)/proof")
    do throws(EvidenceFault) {
      let proof = try UnverifiedInclusion(parsing: file.serialized).verified(
        allowsPlainProofs: allowsPlainProofs)
      guard proof.entry.number == number else {
        throw EvidenceFault(.proof, "it is of entry \(proof.entry.number)")
      }
      return proof
    } catch {
      throw CommandFailure.damaged("The server sent a bad proof: \(printable(sentence("\(error)")))")
    }
  }

  /// The export of the whole ledger, whose chain and checkpoint are verified here; its devices' signatures are not.
  func ledgerExport() async throws -> (bytes: [UInt8], checkpoint: EvidenceCheckpoint) {
    let bytes = [UInt8](try await bytes("audit/export"))
    do throws(EvidenceFault) {
      var maker = EvidenceProofMaker(.checkpoint(since: nil))
      try maker.take(bytes)
      guard case .checkpoint(let made) = try maker.finish() else {
        throw EvidenceFault(.cut, "it has no checkpoint")
      }
      return (bytes, made.checkpoint)
    } catch {
      throw CommandFailure.damaged("The server sent a bad ledger: \(printable(sentence("\(error)")))")
    }
  }

  /// All entries of the realm, the newest first, one after the other.
  func allEvidence(_ each: (EvidenceEntry) async throws -> Void) async throws {
    try await records("audit/evidence", EvidenceQuery(limit: .max)) {
      try await each(try EvidenceEntry(record: $0))
    }
  }

  /// What became of push messages, the newest first.
  func pushDecisions(_ query: EvidenceQuery) async throws -> [JSONValue] {
    var decisions: [JSONValue] = []
    try await records("audit/push", query) { decisions.append($0) }
    return decisions
  }

  private func records(
    _ path: String, _ query: EvidenceQuery, _ each: (JSONValue) async throws -> Void
  ) async throws {
    var left = query.limit
    var cookie = ""
    var last = Int64.max
    repeat {
      let page = try await get(Self.path(path, query, size: min(left, Self.largestPage), cookie))
      for record in (page["result"]?.arrayValue ?? []).prefix(left) {
        // A server must not keep us reading the same page for ever.
        guard let number = record["number"]?.integerValue, number < last else {
          throw CommandFailure.unsupported("The server's list is out of order. Is it a Sealring server?")
        }
        last = number
        left -= 1
        try await each(record)
      }
      let next = page["pagedResultsCookie"]?.stringValue ?? ""
      guard next != cookie else { return }
      cookie = next
    } while !cookie.isEmpty && left > 0
  }

  private static func path(_ path: String, _ query: EvidenceQuery, size: Int, _ cookie: String) -> String {
    var parameters = [
      ("_pageSize", String(size)), ("_queryFilter", query.username.map(filter(username:)) ?? "true"),
    ]
    // The cookie stands for the place; the offset counts from the beginning.
    if !cookie.isEmpty {
      parameters.append(("_pagedResultsCookie", cookie))
    } else if query.offset > 0 {
      parameters.append(("_pagedResultsOffset", String(query.offset)))
    }
    if let since = query.since { parameters.append(("since", String(since))) }
    if let until = query.until { parameters.append(("until", String(until))) }
    if let kind = query.kind { parameters.append(("kind", kind)) }
    return path + "?" + parameters.map { "\($0)=\(inPath($1))" }.joined(separator: "&")
  }
}

extension EvidenceEntry {
  /// Reads what a server sent: the entry, and members that are said about it.
  ///
  /// - Throws: ``EvidenceFault`` when it is not the one that its hash says.
  fileprivate init(record: JSONValue) throws(EvidenceFault) {
    var object = record.objectValue ?? JSONObject()
    for name in ["_id", "_rev", "transactionProof"] { object[name] = nil }
    try self.init(line: object.serialized)
  }

  /// The same, for lists: the fault as one sentence.
  fileprivate static func sent(_ record: JSONValue) throws -> EvidenceEntry {
    do throws(EvidenceFault) { return try EvidenceEntry(record: record) } catch {
      throw CommandFailure.damaged("The server sent a bad entry: \(printable(sentence("\(error)")))")
    }
  }
}
