import Crypto
import EvidenceLedger
import Foundation
import JOSE
import StrictJSON
import Testing

/// A ledger whose entries stand in several lanes, in the order of its tree.
private struct LaneLedger {
  let ledger: Ledger
  var lines: [[UInt8]] = []
  var numbers: [Int64] = []
  private(set) var chain: EvidenceChain

  /// - Parameter order: the lane of each entry.
  init(_ order: [Int64], key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) async throws {
    ledger = try Ledger(key: key)
    chain = EvidenceChain(header: ledger.header)
    let device = EvidenceDevice()
    for (place, index) in order.enumerated() {
      let time = 1_800_000_000_000 + Int64(place)
      let lane = try #require(EvidenceLane(index))
      let end = chain.end(of: lane)
      let entry = try EvidenceEntry(
        number: lane.number(after: end.number, at: time), previous: end.head,
        record: try await device.record(place == 0 ? .bind : .sign, time: time))
      try chain.append(entry.line)
      lines.append(entry.line)
      numbers.append(entry.number)
    }
  }

  func export(_ lines: [[UInt8]]? = nil, of chain: EvidenceChain? = nil) async throws -> [UInt8] {
    let checkpoint = try await EvidenceCheckpoint(
      of: chain ?? self.chain, at: 1_800_000_100_000, signer: P256Signer(privateKey: ledger.key))
    return file([ledger.header.line] + (lines ?? self.lines) + [checkpoint.line])
  }

  func chain(_ lines: some Sequence<[UInt8]>) throws -> EvidenceChain {
    var chain = EvidenceChain(header: ledger.header)
    for line in lines { try chain.append(line) }
    return chain
  }

  /// The export after retention has taken the content of the first entries.
  func retained(_ count: Int) async throws -> [UInt8] {
    let lines = try self.lines.enumerated().map { place, line in
      place < count
        ? RemovedEntry.line(number: numbers[place], hash: try EvidenceEntry(line: line).hash) : line
    }
    return try await export(lines, of: chain(lines))
  }

  func publish(since: VerifiedCheckpoint? = nil, _ export: [UInt8]? = nil) async throws -> VerifiedCheckpoint
  {
    let bytes = if let export { export } else { try await self.export() }
    guard case .checkpoint(let made) = try Ledger.make(.checkpoint(since: since), of: bytes) else {
      throw EvidenceFault(.proof, "not a checkpoint")
    }
    return made
  }
}

private let order: [Int64] = [0, 0, 0, 3, 1, 3, 63, 1, 3, 0, 1]

@Suite struct LaneTests {
  @Test func `a number says its lane, and the numbers of all lanes are in the order of time`() throws {
    var numbers: [Int64] = []
    for index in 1...EvidenceLane.maximum {
      let lane = try #require(EvidenceLane(index))
      let first = lane.number(after: lane.start, at: 1_800_000_000_000 + index)
      let second = lane.number(after: first, at: 1_700_000_000_000)
      #expect(EvidenceLane(of: first) == lane && EvidenceLane(of: second) == lane && second > first)
      numbers.append(first)
      // Clocks that are wrong.
      for time in [Int64.min, -1, 0, Int64.max] {
        let odd = lane.number(after: lane.start, at: time)
        #expect(EvidenceLane(of: odd) == lane && odd < 1 << 53)
      }
    }
    #expect(numbers == numbers.sorted())
    #expect(EvidenceLane(of: 12_345) == .first && EvidenceLane.first.number(after: 7, at: 0) == 8)
    #expect(EvidenceLane(64) == nil && EvidenceLane(-1) == nil)
  }

  @Test func `an export of several lanes verifies, and every entry is proved`() async throws {
    let ledger = try await LaneLedger(order)
    let export = try await ledger.export()
    let summary = try await verify(export)
    #expect(summary.checkpoint.count == Int64(order.count))
    #expect(summary.checkpoint.lanes.map(\.lane.index) == [0, 1, 3, 63])
    #expect(try IndependentVerifier.judge(export) == nil)
    for number in ledger.numbers {
      guard case .inclusion(let made) = try Ledger.make(.inclusion(number, at: nil), of: export) else {
        Issue.record("not a proof")
        continue
      }
      #expect(try UnverifiedInclusion(parsing: made.file).verified().entry.number == number)
      #expect(try IndependentVerifier.judge(made.file) == nil)
    }
    let entry = try #require(ledger.numbers.last)
    guard case .inclusion(let made) = try Ledger.make(.inclusion(entry, at: nil), of: export) else { return }
    var json = try JSONObject(parsing: made.file)
    for wrong: JSONValue in [1, -1, .integer(Int64(order.count)), "10"] {
      json["index"] = wrong
      #expect(throws: EvidenceFault.self) { try UnverifiedInclusion(parsing: json.serialized).verified() }
      #expect(try IndependentVerifier.judge(json.serialized) != nil)
    }
  }

  @Test func `a ledger with lanes continues the checkpoints of when it had one`() async throws {
    let ledger = try await LaneLedger(order)
    let whole = try await ledger.export()
    for size in 0...order.count {
      let lines = Array(ledger.lines[..<size])
      let early = try await ledger.publish(ledger.export(lines, of: ledger.chain(lines)))
      let now = try await ledger.publish(since: early)
      try now.requireContinuing(early)
      #expect(try IndependentVerifier.judge(now.file, against: early.file) == nil)
      #expect(try IndependentVerifier.judge(whole, against: early.file) == nil)
    }
  }

  @Test func `each lie about a lane is found`() async throws {
    let ledger = try await LaneLedger(order)
    func refused(_ lines: [[UInt8]], of chain: EvidenceChain? = nil, _ kind: EvidenceFault.Kind) async throws
    {
      let bytes = try await ledger.export(lines, of: chain)
      #expect(try await fault(bytes).kind == kind)
      #expect(try IndependentVerifier.judge(bytes)?.contains("Traceback") == false)
    }
    // The last of a lane, one inside of it, its first: cut out of the lines, and the server's word left as it was.
    try await refused(ledger.lines.dropLast(), .removed)
    try await refused(ledger.lines.enumerated().filter { $0.offset != 5 }.map(\.element), .removed)
    try await refused(ledger.lines.enumerated().filter { $0.offset != 3 }.map(\.element), .removed)
    // Twice, and in another order than the epochs have.
    try await refused(ledger.lines + [ledger.lines[6]], .duplicated)
    var swapped = ledger.lines
    swapped.swapAt(3, 4)
    try await refused(swapped, .rewritten)
    // Another lane's entry under this ledger's key: lanes are merged as they are, or not at all.
    let kept = order.indices.filter { order[$0] != 63 }.map { ledger.lines[$0] }
    let merged = try ledger.chain(kept)
    let honest = try await ledger.publish()
    #expect(try await verify(ledger.export(kept, of: merged)).checkpoint.lanes.count == 3)
    let omitted = try await ledger.publish(ledger.export(kept, of: merged))
    #expect(throws: EvidenceFault.self) { try omitted.requireContinuing(honest) }
    #expect(throws: EvidenceFault.self) { try honest.requireContinuing(omitted) }
    // A checkpoint whose lanes are not those of the entries, signed by the ledger's key.
    let claims: (inout JSONObject) -> Void = {
      $0["lanes"] = .array(Array(($0["lanes"]?.arrayValue ?? []).dropLast()))
    }
    let bytes = try await ledger.resigned(claims)
    #expect(try await fault(bytes).kind == .rewritten)
    #expect(try IndependentVerifier.judge(bytes) != nil)
    for wrong: JSONValue in [[], [1], "x", [["lane": 1, "number": 2, "head": "x"]]] {
      #expect(try await fault(ledger.resigned { $0["lanes"] = wrong }).kind == .checkpoint)
    }
  }

  @Test func `what retention takes away leaves its hash, and the tree as it was`() async throws {
    let ledger = try await LaneLedger(order)
    let whole = try await ledger.export()
    let old = try await ledger.publish(
      ledger.export(Array(ledger.lines[..<4]), of: ledger.chain(ledger.lines[..<4])))
    for count in [1, 5, order.count] {
      let bytes = try await ledger.retained(count)
      let summary = try await verify(bytes, with: EvidenceVerifier(earlierCheckpoint: old.checkpoint.line))
      #expect(summary.checkpoint.removed == Int64(count))
      #expect(summary.checkpoint.root == (try await verify(whole)).checkpoint.root)
      #expect(try IndependentVerifier.judge(bytes, against: old.file) == nil)
      let now = try await ledger.publish(since: old, bytes)
      try now.requireContinuing(old)
    }
    let bytes = try await ledger.retained(5)
    let missing = #expect(throws: EvidenceFault.self) {
      try Ledger.make(.inclusion(ledger.numbers[2], at: nil), of: bytes)
    }
    #expect(missing?.kind == .missing)
    #expect(throws: Never.self) { try Ledger.make(.inclusion(ledger.numbers[7], at: nil), of: bytes) }
    // More than the server says, less, and one in the middle.
    let lines = try ledger.lines.enumerated().map { place, line in
      place < 6
        ? RemovedEntry.line(number: ledger.numbers[place], hash: try EvidenceEntry(line: line).hash) : line
    }
    let five = try ledger.chain(
      bytes.split(separator: 0x0A).dropFirst().dropLast().map(Array.init))
    for lie in [lines, ledger.lines] {
      let bytes = try await ledger.export(lie, of: five)
      #expect(try await fault(bytes).kind == .removed)
      #expect(try IndependentVerifier.judge(bytes) != nil)
    }
    var middle = ledger.lines
    middle[4] = lines[4]
    let hole = try await ledger.export(middle)
    #expect(try await fault(hole).kind == .removed)
    #expect(try IndependentVerifier.judge(hole) != nil)
  }
}

extension LaneLedger {
  /// The export with other claims under a good signature.
  fileprivate func resigned(_ change: (inout JSONObject) -> Void) async throws -> [UInt8] {
    let honest = try await EvidenceCheckpoint(
      of: chain, at: 1_800_000_100_000, signer: P256Signer(privateKey: ledger.key))
    var claims = try UnverifiedJWS(compact: honest.jws).verified(
      with: VerificationKey(ledger.header.key), allowing: [.es256]
    ).claims()
    change(&claims)
    let jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "sealring-evidence-checkpoint"), claims: claims,
      signer: P256Signer(privateKey: ledger.key))
    return file([ledger.header.line] + lines + [Array("{\"checkpoint\":\"\(jws)\"}".utf8)])
  }
}
