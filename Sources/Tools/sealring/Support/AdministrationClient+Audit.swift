import BindingFormats
import EvidenceLedger
import JourneyStore
import StrictJSON

/// Pages of audit records for administrators and auditors.
extension AdministrationClient {
  private static let largestPage = 200

  /// Returns entries of the ledger, newest first. Throws if an entry does not match its hash, or is of another realm.
  func evidence(_ query: EvidenceQuery) async throws -> [EvidenceEntry] {
    var entries: [EvidenceEntry] = []
    try await records("audit/evidence", query) { entries.append(try sent($0)) }
    return entries
  }

  /// Returns the entry with this number. Throws if the server sends another one, one of another realm, or one that does not match its
  /// hash.
  func evidence(number: Int64) async throws -> EvidenceEntry {
    let found = try sent(try await entry(number, "audit/evidence/\(number)"))
    guard found.number == number else {
      throw CommandFailure.damaged("The server sent a bad entry: it is entry \(found.number).")
    }
    return found
  }

  private func entry(_ number: Int64, _ path: String) async throws -> JSONValue {
    do { return try await get(path) } catch let failure as CommandFailure
      where failure.code == .notFound && failure.description.contains("evidence")
    {
      throw CommandFailure.notFound(
        "There is no entry \(number) in this realm. `sealring audit list` shows what there is.")
    }
  }

  /// Fetches the proof that an entry is in the server's ledger, and verifies it.
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
      try requireRealm(of: proof.entry)
      return proof
    } catch {
      throw CommandFailure.damaged("The server sent a bad proof: \(printable(sentence("\(error)")))")
    }
  }

  /// Fetches an export of the whole ledger, and verifies its chain and checkpoint, but not the signatures of devices.
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

  /// Passes all entries of the realm to `each`, newest first.
  func allEvidence(_ each: (EvidenceEntry) async throws -> Void) async throws {
    try await records("audit/evidence", EvidenceQuery(limit: .max)) {
      try await each(try evidence(in: $0))
    }
  }

  /// Returns the decisions about push messages, newest first.
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
      let found = page["result"]?.arrayValue ?? []
      for record in found.prefix(left) {
        // A server must not make us read the same page forever.
        guard let number = record["number"]?.integerValue, number < last else {
          throw CommandFailure.unsupported("The server's list is out of order. Is it a Sealring server?")
        }
        last = number
        left -= 1
        try await each(record)
      }
      let next = page["pagedResultsCookie"]?.stringValue ?? ""
      guard next != cookie else { return }
      // An empty page has no number, so nothing else would end these pages.
      guard !found.isEmpty || next.isEmpty else {
        throw CommandFailure.unsupported("The server's list does not end: it has pages without records.")
      }
      cookie = next
    } while !cookie.isEmpty && left > 0
  }

  private static func path(_ path: String, _ query: EvidenceQuery, size: Int, _ cookie: String) -> String {
    var parameters = [
      ("_pageSize", String(size)), ("_queryFilter", query.username.map(filter(username:)) ?? "true"),
    ]
    // The cookie marks the place; the offset counts from the first record.
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

  /// Reads a record as a server sends it: the entry, and members about it.
  ///
  /// - Throws: ``EvidenceFault`` when the entry does not match its hash, or is of another realm.
  private func evidence(in record: JSONValue) throws(EvidenceFault) -> EvidenceEntry {
    var object = record.objectValue ?? JSONObject()
    for name in ["_id", "_rev", "transactionProof"] { object[name] = nil }
    let entry = try EvidenceEntry(line: object.serialized)
    try requireRealm(of: entry)
    return entry
  }

  private func requireRealm(of entry: EvidenceEntry) throws(EvidenceFault) {
    guard RealmKey(entry.record.realm) == RealmKey(realm.name) else {
      throw EvidenceFault(.added, entry: entry.number, "it is of realm \(entry.record.realm)")
    }
  }

  /// Reads a record of a list; reports a fault as one sentence.
  private func sent(_ record: JSONValue) throws -> EvidenceEntry {
    do throws(EvidenceFault) { return try evidence(in: record) } catch {
      throw CommandFailure.damaged("The server sent a bad entry: \(printable(sentence("\(error)")))")
    }
  }
}
