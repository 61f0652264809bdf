import EvidenceLedger
import Foundation
import StrictJSON

extension Audit.Verify {
  /// Verifies the realm's entries as they come, the newest first.
  func verify(by administration: User.Administration) async throws {
    let progress = ProgressLine()
    defer { progress.clear() }
    var check = ReceivedEvidenceCheck(checksSignatures: !hashesOnly, allowsPlainProofs: plainProofs)
    do {
      try await administration.signedIn { client in
        try await client.allEvidence { entry in
          try check.add(entry)
          progress.show("\(check.count) entries…")
        }
      }
    } catch let fault as EvidenceFault {
      progress.clear()
      if json {
        Output.json([
          "valid": false, "kind": .string(fault.kind.rawValue),
          "entry": fault.entry.map { .integer($0) } ?? .null,
          "reason": .string(fault.reason),
        ])
      }
      throw CommandFailure("Realm \(printable(realm)): \(printable(sentence("\(fault)")))", code: .damaged)
    }
    progress.clear()
    if json {
      Output.json([
        "valid": true, "realm": .string(realm), "entries": .integer(Int64(check.count)),
        "linked": .integer(Int64(check.linked)), "signatures": .bool(!hashesOnly),
      ])
    } else {
      Output.line(
        """
        Realm \(printable(realm)): \(check.count) entries, each unchanged\
        \(hashesOnly ? "; signatures not checked" : "; every signature verifies").
        \(check.linked) of them are chained to the one before; the entries between are other realms'. An export shows whether one is missing.
        """)
    }
  }
}

/// Judges entries of one realm that come from the newest to the oldest.
struct ReceivedEvidenceCheck {
  let checksSignatures: Bool
  let allowsPlainProofs: Bool
  private(set) var count = 0

  /// Entries whose predecessor came too, and is the one that they name.
  private(set) var linked = 0
  private var later: EvidenceEntry?

  init(checksSignatures: Bool, allowsPlainProofs: Bool) {
    (self.checksSignatures, self.allowsPlainProofs) = (checksSignatures, allowsPlainProofs)
  }

  /// - Throws: ``EvidenceFault`` of the entry that is bad.
  mutating func add(_ entry: EvidenceEntry) throws(EvidenceFault) {
    if let later {
      guard entry.number < later.number else {
        throw EvidenceFault(.changed, entry: entry.number, "it stands twice, or out of order")
      }
      if entry.number == later.number - 1 {
        guard later.previous == entry.hash else {
          throw EvidenceFault(.changed, entry: later.number, "it is not chained to the entry before it")
        }
        linked += 1
      }
    }
    if checksSignatures { try entry.verifySignature(allowsPlainProofs: allowsPlainProofs) }
    count += 1
    later = entry
  }
}
