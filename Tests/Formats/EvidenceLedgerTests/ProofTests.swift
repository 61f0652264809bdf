import CommonFixtures
import Crypto
import EvidenceLedger
import Foundation
import JOSE
import StrictJSON
import Testing

/// A witness with a key of its own.
struct EvidenceWitness {
  let key = P256.Signing.PrivateKey()

  var jwk: JWK {
    get throws { try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: nil) }
  }

  func countersign(_ checkpoint: VerifiedCheckpoint) async throws -> VerifiedCheckpoint {
    try await checkpoint.countersigned(
      at: 1_800_000_200_000, key: try jwk, signer: P256Signer(privateKey: key))
  }
}

extension Ledger {
  /// What the maker makes of the export, fed in pieces of an odd size.
  func make(_ goal: EvidenceProofMaker.Goal) async throws -> EvidenceProofMaker.Made {
    try Self.make(goal, of: file(try await export()))
  }

  static func make(_ goal: EvidenceProofMaker.Goal, of bytes: [UInt8]) throws -> EvidenceProofMaker.Made {
    var maker = EvidenceProofMaker(goal)
    var rest = bytes[...]
    while !rest.isEmpty {
      try maker.take(Array(rest.prefix(777)))
      rest = rest.dropFirst(777)
    }
    return try maker.finish()
  }

  func published(since: VerifiedCheckpoint? = nil) async throws -> VerifiedCheckpoint {
    guard case .checkpoint(let made) = try await make(.checkpoint(since: since)) else {
      throw EvidenceFault(.proof, "not a checkpoint")
    }
    return made
  }

  func inclusion(_ number: Int64, at published: VerifiedCheckpoint? = nil) async throws -> VerifiedInclusion {
    guard case .inclusion(let made) = try await make(.inclusion(number, at: published)) else {
      throw EvidenceFault(.proof, "not a proof of inclusion")
    }
    return made
  }

  /// The ledger as it was.
  func first(_ count: Int) throws -> Ledger { try Ledger(Array(records.prefix(count)), key: key) }

  /// The same ledger with another past.
  func rewritten() -> Ledger {
    var copy = self
    copy.records[0].time += 1
    return copy
  }
}

/// What `verified` makes of a file, or of one with a member changed.
private func checkpoint(
  _ file: [UInt8], witness: String? = nil, _ change: (inout JSONObject) -> Void = { _ in }
) throws -> VerifiedCheckpoint {
  var json = try JSONObject(parsing: file)
  change(&json)
  return try UnverifiedCheckpoint(parsing: json.serialized).verified(witness: witness)
}

private func inclusion(
  _ file: [UInt8], _ change: (inout JSONObject) throws -> Void = { _ in }
) throws -> VerifiedInclusion {
  var json = try JSONObject(parsing: file)
  try change(&json)
  return try UnverifiedInclusion(parsing: json.serialized).verified()
}

private func kind(_ body: () async throws -> some Any) async -> EvidenceFault.Kind? {
  await #expect(throws: EvidenceFault.self) { _ = try await body() }?.kind
}

@Suite struct ProofTests {
  @Test(arguments: [1, 2, 3, 7, 8, 9]) func `every entry is proved to be in the ledger`(count: Int)
    async throws
  {
    let ledger = try await Ledger.sample(count)
    for number in 1...Int64(count) {
      let made = try await ledger.inclusion(number)
      let read = try inclusion(made.file)
      #expect(read.entry.number == number && read.checkpoint.checkpoint.count == Int64(count))
      #expect(read.checkpoint.header.fingerprint == ledger.header.fingerprint)
    }
  }

  @Test func `an entry that is not there cannot be proved`() async throws {
    let ledger = try await Ledger.sample(3)
    for number in [0, 4, Int64.max] { #expect(await kind { try await ledger.inclusion(number) } == .missing) }
    #expect(await kind { try await ledger.first(0).inclusion(1) } == .missing)
    let early = try await ledger.first(2).published()
    #expect(await kind { try await ledger.inclusion(3, at: early) } == .missing)
  }

  @Test func `an entry is proved in the tree of an earlier checkpoint, too`() async throws {
    let ledger = try await Ledger.sample(7)
    let early = try await EvidenceWitness().countersign(ledger.first(5).published())
    let made = try inclusion(try await ledger.inclusion(2, at: early).file)
    try made.requireCheckpoint(early)
    let now = try await ledger.inclusion(2)
    #expect(await kind { try now.requireCheckpoint(early) } == .proof)
    let fork = try await ledger.rewritten().first(5).published()
    #expect(await kind { try made.requireCheckpoint(fork) } == .forked)
  }

  @Test func `each lie in a proof of inclusion is refused`() async throws {
    let ledger = try await Ledger.sample(6)
    let file = try await ledger.inclusion(3).file
    let (other, foreign) = (try await ledger.inclusion(4).file, try await Ledger.sample(6).inclusion(3).file)
    func lie(_ change: (inout JSONObject) throws -> Void) async -> EvidenceFault.Kind? {
      await kind { try inclusion(file, change) }
    }
    func taking(_ name: String, from file: [UInt8]) async -> EvidenceFault.Kind? {
      await lie { $0[name] = try JSONObject(parsing: file)[name] }
    }
    #expect(await taking("entry", from: other) == .proof)
    #expect(await taking("path", from: other) == .proof)
    #expect(await taking("checkpoint", from: foreign) == .checkpoint)
    #expect(await taking("header", from: foreign) == .checkpoint)
    #expect(await taking("entry", from: foreign) == .proof)
    #expect(await taking("checkpoint", from: try await ledger.first(5).inclusion(3).file) == .proof)
    let path = try #require(try JSONObject(parsing: file)["path"]?.arrayValue)
    let wrongPaths: [[JSONValue]] = [
      [], Array(path.dropLast()), Array(path.dropFirst()), path.reversed(), path + path.prefix(1), ["short"],
      [1], Array(repeating: path[0], count: 65),
    ]
    for wrong in wrongPaths {
      #expect(await lie { $0["path"] = .array(wrong) } == .proof)
    }
    #expect(await lie { $0["size"] = 6 } == .proof)
    #expect(await lie { $0["version"] = 2 } == .proof)
    #expect(await lie { $0["entry"] = .string("{}") } == .malformed)
    #expect(
      await lie {
        $0["entry"] = .string(($0["entry"]?.stringValue ?? "").replacing("SignTransaction", with: "Sign"))
      } == .changed)
    #expect(
      await kind { try UnverifiedInclusion(parsing: [UInt8](repeating: 0x20, count: 4 << 20)) } == .proof)
    let noted = try #require(EvidenceHash(bytes: Array(repeating: 1, count: 32)))
    #expect(
      await kind { try UnverifiedInclusion(parsing: file).verified(ledger: noted) } == .ledger)
  }

  @Test(arguments: [.min, -1, 0, (1 << 53) + 1, .max] as [Int64])
  func `an entry whose number no ledger gives is refused before anything is computed with it`(
    number: Int64
  ) async throws {
    let ledger = try await Ledger.sample(2)
    let entry = try EvidenceEntry(
      number: number, previous: ledger.header.fingerprint, record: ledger.records[0])
    let file = try await ledger.inclusion(1).file
    #expect(
      await kind {
        try inclusion(file) { $0["entry"] = .string(String(decoding: entry.line, as: UTF8.self)) }
      } == .malformed)
  }

  @Test func `a proof of an entry that its device has not signed is refused`() async throws {
    var ledger = try await Ledger.sample(2)
    ledger.records[1].device = "another"
    let file = try await ledger.inclusion(2).file
    #expect(await kind { try inclusion(file) } == .signature)
  }

  @Test(arguments: [(0, 5), (1, 5), (2, 5), (3, 7), (4, 8), (5, 5), (6, 9)])
  func `a checkpoint continues every earlier one of its ledger`(sizes: (Int, Int)) async throws {
    let ledger = try await Ledger.sample(sizes.1)
    let early = try await ledger.first(sizes.0).published()
    let made = try await ledger.published(since: early)
    try checkpoint(made.file).requireContinuing(checkpoint(early.file))
  }

  @Test func `a ledger that was rewritten, shortened or forked is named`() async throws {
    let ledger = try await Ledger.sample(7)
    let early = try await ledger.first(5).published()
    let false_ = ledger.rewritten()
    // The export itself shows it.
    #expect(await kind { try await false_.published(since: early) } == .rewritten)
    #expect(await kind { try await ledger.first(4).published(since: early) } == .removed)
    #expect(await kind { try await Ledger.sample(7).published(since: early) } == .ledger)
    // And whoever has no export sees it in the checkpoints.
    let ownEarly = try await false_.first(5).published()
    let fork = try await false_.published(since: ownEarly)
    #expect(await kind { try fork.requireContinuing(early) } == .proof)
    #expect(await kind { try ownEarly.requireContinuing(early) } == .forked)
    #expect(await kind { try early.requireContinuing(fork) } == .removed)
    let unproved = try await ledger.published()
    #expect(await kind { try unproved.requireContinuing(early) } == .proof)
    let honest = try await ledger.published(since: early)
    for wrong: JSONValue in [
      5, "x", ["from": 5], ["from": 0, "path": []], ["from": 5, "path": [], "to": 7],
    ] {
      #expect(await kind { try checkpoint(honest.file) { $0["consistency"] = wrong } } == .proof)
    }
    let shortened = try checkpoint(honest.file) { $0["consistency"] = ["from": 5, "path": []] }
    #expect(await kind { try shortened.requireContinuing(early) } == .proof)
    let later = try await ledger.first(6).published()
    #expect(await kind { try honest.requireContinuing(later) } == .proof)
  }

  @Test func `a checkpoint's file is believed in no member`() async throws {
    let ledger = try await Ledger.sample(3)
    let file = try await ledger.published().file
    let foreign = try JSONObject(parsing: try await Ledger.sample(3).published().file)
    for name in ["header", "checkpoint"] {
      #expect(await kind { try checkpoint(file) { $0[name] = foreign[name] } } == .checkpoint)
      #expect(await kind { try checkpoint(file) { $0[name] = nil } } == .checkpoint)
    }
    #expect(await kind { try checkpoint(file) { $0["more"] = 1 } } == .checkpoint)
    #expect(await kind { try checkpoint(file) { $0["version"] = 2 } } == .checkpoint)
    #expect(
      await kind { try UnverifiedCheckpoint(parsing: Array(repeating: 0x7B, count: 70_000)) } == .checkpoint)
  }

  @Test func `a witness is recognised by its key, and by what it signed`() async throws {
    let ledger = try await Ledger.sample(4)
    let (witness, other) = (EvidenceWitness(), EvidenceWitness())
    let name = try witness.jwk.thumbprint
    let plain = try await ledger.published()
    let signed = try await witness.countersign(plain)
    #expect(try checkpoint(signed.file, witness: name).witness?.thumbprint == name)
    #expect(await kind { try checkpoint(plain.file, witness: name) } == .checkpoint)
    let wrong = try await other.countersign(plain)
    #expect(await kind { try checkpoint(wrong.file, witness: name) } == .checkpoint)
    let moved = try JSONObject(
      parsing: try await witness.countersign(try await ledger.first(3).published()).file)
    #expect(
      await kind { try checkpoint(plain.file) { $0["witness"] = moved["witness"] } } == .checkpoint)
    // The ledger's own signature is not a witness's.
    #expect(
      await kind { try checkpoint(plain.file) { $0["witness"] = $0["checkpoint"] } } == .checkpoint)
  }

  @Test func `an export from before there was a tree verifies, and has no proofs`() async throws {
    let ledger = try await Ledger.sample(3)
    var lines = try await ledger.export()
    let entry = try EvidenceEntry(line: lines[3])
    let claims: JSONObject = [
      "ledger": .string(ledger.header.fingerprint.text), "count": 3, "head": .string(entry.hash.text),
      "time": 1_800_000_100_000,
    ]
    let jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "sealring-evidence-checkpoint"), claims: claims,
      signer: P256Signer(privateKey: ledger.key))
    lines[4] = Array("{\"checkpoint\":\"\(jws)\"}".utf8)
    let old = file(lines)
    #expect(try await verify(old).checkpoint.root == nil)
    #expect(await kind { try Ledger.make(.checkpoint(since: nil), of: old) } == .proof)
    // It can still be what a later ledger has to continue.
    _ = try await verify(
      file(try await ledger.export()), with: EvidenceVerifier(earlierCheckpoint: lines[4]))
    // A proof needs no root at the end when the checkpoint that it is for has one.
    let published = try await ledger.published()
    #expect(throws: Never.self) { _ = try Ledger.make(.inclusion(1, at: published), of: old) }
  }

  @Test func `a root that is not that of the entries is refused`() async throws {
    let ledger = try await Ledger.sample(2)
    var lines = try await ledger.export()
    let claims: JSONObject = [
      "ledger": .string(ledger.header.fingerprint.text), "count": 2,
      "head": .string(try EvidenceEntry(line: lines[2]).hash.text), "time": 1_800_000_100_000,
      "root": .string(MerkleHash.empty.text),
    ]
    let jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "sealring-evidence-checkpoint"), claims: claims,
      signer: P256Signer(privateKey: ledger.key))
    lines[3] = Array("{\"checkpoint\":\"\(jws)\"}".utf8)
    #expect(try await fault(file(lines)).kind == .rewritten)
  }

  @Test func `an endless line takes no endless memory`() async throws {
    var maker = EvidenceProofMaker(.checkpoint(since: nil))
    var pieces = 0
    #expect(throws: EvidenceFault.self) {
      while pieces < 1000 {
        try maker.take([UInt8](repeating: 0x41, count: 1 << 16))
        pieces += 1
      }
    }
    #expect(pieces < 64)
  }
}

/// `evidence_verifier.py`, which is written from docs/evidence-format.md and knows nothing of this code.
@Suite struct IndependentVerifierTests {
  @Test func `a program in another language takes what is true and refuses each lie`() async throws {
    func judge(_ bytes: [UInt8], against: [UInt8]? = nil, _ more: String...) throws -> String? {
      try IndependentVerifier.judge(bytes, against: against, more)
    }
    let ledger = try await Ledger.sample(7)
    let (witness, name) = try { ($0, try $0.jwk.thumbprint) }(EvidenceWitness())
    let fingerprint = ledger.header.fingerprint.text
    let early = try await witness.countersign(try await ledger.first(5).published())
    let lines = try await ledger.export()
    let (whole, now) = (file(lines), try await ledger.published(since: early))
    let proof = try await ledger.inclusion(3)

    #expect(try judge(whole, "--ledger=\(fingerprint)") == nil)
    #expect(try judge(whole, against: early.file, "--witness", name) == nil)
    #expect(try judge(now.file, against: early.file, "--witness", name) == nil)
    #expect(try judge(early.file, "--witness", name) == nil)
    #expect(try judge(proof.file, "--ledger=\(fingerprint)") == nil)
    for number in 1...Int64(7) { #expect(try judge(try await ledger.inclusion(number).file) == nil) }
    for size in [0, 1, 2, 3, 4, 6, 7] {
      let old = try await ledger.first(size).published()
      #expect(try judge(try await ledger.published(since: old).file, against: old.file) == nil)
      #expect(try judge(whole, against: old.file) == nil)
    }

    let false_ = ledger.rewritten()
    let fork = try await false_.published(since: try await false_.first(5).published())
    let other = try await Ledger.sample(7)
    var damaged = whole
    damaged[whole.count / 2] ^= 1
    var unsigned = ledger
    unsigned.records[2].device = "another"
    func changed(_ file: [UInt8], _ change: (inout JSONObject) -> Void) throws -> [UInt8] {
      var json = try JSONObject(parsing: file)
      change(&json)
      return json.serialized
    }
    let path = try JSONObject(parsing: proof.file)["path"]?.arrayValue ?? []
    let lies: [String: String?] = [
      "bit": try judge(damaged),
      "removed": try judge(file(Array(lines[..<3] + lines[4...]))),
      "cut": try judge(file(Array(lines.dropLast()))),
      "added": try judge(file(lines + [lines[3]])),
      "swapped": try judge(file(lines[..<2] + [lines[3], lines[2]] + lines[4...])),
      "device": try judge(file(try await unsigned.export())),
      "device in proof": try judge(try await unsigned.inclusion(3).file),
      "fingerprint": try judge(file(try await other.export()), "--ledger=\(fingerprint)"),
      "rewritten": try judge(file(try await false_.export()), against: early.file),
      "shortened": try judge(file(try await ledger.first(4).export()), against: early.file),
      "foreign": try judge(file(try await other.export()), against: early.file),
      "fork": try judge(fork.file, against: early.file),
      "fork of one size": try judge(try await false_.first(5).published().file, against: early.file),
      "older": try judge(try await ledger.first(4).published().file, against: early.file),
      "without proof": try judge(try await ledger.published().file, against: early.file),
      "short proof": try judge(
        try changed(now.file) { $0["consistency"] = ["from": 5, "path": []] }, against: early.file),
      "no witness": try judge(now.file, "--witness", name),
      "other witness": try judge(try await EvidenceWitness().countersign(now).file, "--witness", name),
      "witness of another": try judge(
        try changed(now.file) { $0["witness"] = .string(early.witness?.jws ?? "") }),
      "checkpoint of another": try judge(
        try changed(now.file) { $0["checkpoint"] = .string(early.checkpoint.jws.dropLast(4) + "AAAA") }),
      "entry": try judge(
        try changed(proof.file) { $0["entry"] = .string(String(decoding: lines[4], as: UTF8.self)) }),
      "short path": try judge(try changed(proof.file) { $0["path"] = .array(path.dropLast()) }),
      "long path": try judge(try changed(proof.file) { $0["path"] = .array(path + path) }),
      "turned path": try judge(try changed(proof.file) { $0["path"] = .array(path.reversed()) }),
    ]
    for (lie, reason) in lies { #expect(reason?.contains("Traceback") == false, "\(lie): \(reason ?? "")") }
  }
}

/// Runs `evidence_verifier.py`.
enum IndependentVerifier {
  /// What it says is wrong with a file; `nil` when it says that nothing is.
  static func judge(_ bytes: [UInt8], against: [UInt8]? = nil, _ more: [String] = []) throws -> String? {
    let folder = try TemporaryFolder.make()
    try folder.write(bytes, to: "file")
    var arguments = ["file"] + more
    if let against {
      try folder.write(against, to: "against")
      arguments += ["--against", "against"]
    }
    return try judge(arguments, in: folder.url)
  }

  /// What the verifier says is wrong; `nil` when it says that nothing is.
  private static func judge(_ arguments: [String], in folder: URL) throws -> String? {
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Interoperability/evidence_verifier.py")
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-B", script.path(percentEncoded: false)] + arguments
    process.currentDirectoryURL = folder
    let errors = Pipe()
    process.standardOutput = FileHandle.nullDevice
    process.standardError = errors
    try process.run()
    let reason = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? nil : reason
  }
}
