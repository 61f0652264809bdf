import EvidenceLedger
import JOSE
import StrictJSON

extension FuzzTarget {
  /// An export is accepted only when it is the one that was signed; an entry, a header and a checkpoint have one text each.
  static let ledger = FuzzTarget(
    seeds: {
      [export, signedEntry, checkpointFile, inclusionFile, frontierFile]
        + export.split(separator: UInt8(ascii: "\n")).map(Array.init)
    },
    check: { bytes in
      if let entry = try? EvidenceEntry(line: bytes) {
        expect(entry.line == bytes && bytes.count <= EvidenceEntry.maximumLineBytes, "an entry has two texts")
        _ = try? entry.verifySignature(allowsPlainProofs: true)
      }
      if let header = try? EvidenceHeader(line: bytes) {
        expect(header.line == bytes, "a header has two texts")
      }
      if let checkpoint = try? EvidenceCheckpoint(line: bytes, header: header) {
        expect(checkpoint.count == 2 && checkpoint.ledger == header.fingerprint, "a checkpoint was forged")
      }
      if let file = try? UnverifiedCheckpoint(parsing: bytes),
        let verified = try? file.verified(ledger: header.fingerprint)
      {
        expect(verified.checkpoint.count == 2, "another ledger's checkpoint is accepted")
      }
      if let published, let frontier = try? LedgerFrontier(published, parsing: bytes) {
        expect(
          (try? LedgerFrontier(published, parsing: frontier.file)) == frontier && bytes.count <= 4096,
          "a tree is another one when it is read again")
      }
      if let proof = try? UnverifiedInclusion(parsing: bytes) {
        // No entry of this ledger has a device's signature.
        expect((try? proof.verified(ledger: header.fingerprint)) == nil, "an unsigned entry is proved")
      }
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map(Array.init)
      let isEnded = lines.last?.isEmpty == true
      let content = isEnded ? Array(lines.dropLast()) : lines
      var check = EvidenceExportCheck(fingerprint: header.fingerprint)
      for (number, line) in content.enumerated() {
        _ = check.take(line, isLast: number == content.count - 1)
        if check.isDecided { break }
      }
      guard let summary = try? check.result() else { return }
      expect(summary.header == header && summary.checkpoint.count == 2, "another ledger is accepted")
      expect(bytes.prefix(signedPart.count).elementsEqual(signedPart), "an altered export is accepted")
    })

  private static let header = EvidenceHeader(ledger: "AAAAAAAAAAAAAAAAAAAAAA", key: FixedKeys.jwk)

  /// Header, two entries and the checkpoint, a line each.
  private static let export: [UInt8] = {
    var chain = EvidenceChain(header: header)
    var lines = [header.line]
    for kind in [EvidenceRecord.Kind.bind, .sign] {
      let record = EvidenceRecord(
        kind: kind, time: 1_800_000_000_000, realm: "alpha", journey: "Login", nodeID: "n", username: "ada",
        userID: "u", device: "d", key: FixedKeys.jwk.json,
        attestation: kind == .bind ? ["type": "none"] : nil,
        // The same in every run, as signatures with P-256 are not.
        jws: FixedKeys.token(["alg": "HS256", "kid": "fixed"], ["sub": "ada"]))
      guard let entry = try? EvidenceEntry(number: chain.count + 1, previous: chain.head, record: record),
        (try? chain.append(entry.line)) != nil
      else { return [] }
      lines.append(entry.line)
    }
    let complete = chain
    let checkpoint = wait {
      try? await EvidenceCheckpoint(
        of: complete, at: 1_800_000_000_000, signer: P256Signer(privateKey: FixedKeys.signing))
    }
    lines.append((checkpoint ?? nil)?.line ?? [])
    return Array(lines.joined(separator: [UInt8(ascii: "\n")])) + [UInt8(ascii: "\n")]
  }()

  /// The export's lines, and the signed text of its checkpoint.
  private static var parts: (lines: [String], checkpoint: String)? {
    let lines = export.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    guard let last = lines.last else { return nil }
    let checkpoint = try? EvidenceCheckpoint(line: Array(last.utf8), header: header)
    return checkpoint.map { (lines, $0.jws) }
  }

  /// What the export's tree and checkpoint are.
  private static let made: (published: VerifiedCheckpoint, peaks: [MerkleHash])? = {
    var maker = EvidenceProofMaker(.checkpoint(since: nil))
    guard (try? maker.take(export)) != nil, case .checkpoint(let published)? = try? maker.finish() else {
      return nil
    }
    return (published, maker.peaks)
  }()

  private static var published: VerifiedCheckpoint? { made?.published }

  private static var frontierFile: [UInt8] {
    made.flatMap { try? LedgerFrontier($0.published, peaks: $0.peaks) }?.file ?? []
  }

  private static var checkpointFile: [UInt8] {
    guard let parts else { return [] }
    let file: JSONObject = [
      "sealring": "evidence-checkpoint", "version": 1, "header": .string(parts.lines[0]),
      "checkpoint": .string(parts.checkpoint), "witness": "a.b.c",
    ]
    return file.serialized
  }

  /// Of the first entry, whose path is the second one's leaf; here any hash.
  private static var inclusionFile: [UInt8] {
    guard let parts else { return [] }
    let file: JSONObject = [
      "sealring": "evidence-inclusion", "version": 1, "header": .string(parts.lines[0]),
      "entry": .string(parts.lines[1]), "index": 0,
      "path": ["AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], "checkpoint": .string(parts.checkpoint),
    ]
    return file.serialized
  }

  /// An entry whose signature verifies.
  private static var signedEntry: [UInt8] {
    let record = EvidenceRecord(
      kind: .sign, time: 1_800_000_000_000, realm: "alpha", journey: "Login", nodeID: "n", username: "ada",
      userID: "u", device: "d", key: FixedKeys.jwk.json,
      jws: FixedKeys.token(["alg": "ES256", "kid": "fixed", "typ": "JWS"], ["sub": "ada", "iss": "x"]))
    return (try? EvidenceEntry(number: 1, previous: header.fingerprint, record: record))?.line ?? []
  }

  /// Header and entries: whoever accepts an export accepts these bytes.
  private static let signedPart: [UInt8] = {
    let lines = export.split(separator: UInt8(ascii: "\n"))
    return Array(lines.prefix(3).joined(separator: [UInt8(ascii: "\n")]))
  }()
}
