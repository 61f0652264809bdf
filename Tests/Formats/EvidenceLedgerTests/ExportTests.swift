import CommonFixtures
import Bytes
import Crypto
import EvidenceLedger
import Foundation
import JOSE
import StrictJSON
import Testing

@Suite struct ExportTests {
  @Test(arguments: [0, 1, 2, 63, 64, 65, 200])
  func `an export of any length verifies`(count: Int) async throws {
    let ledger = try await Ledger.sample(count)
    let summary = try await verify(
      file(try await ledger.export()),
      with: EvidenceVerifier(fingerprint: ledger.header.fingerprint, workers: 2))
    #expect(summary.header == ledger.header)
    #expect(summary.checkpoint.count == Int64(count))
  }

  @Test func `an entry is read back as it was written`() async throws {
    for line in try await Ledger.sample(3).entries {
      let entry = try EvidenceEntry(line: line)
      #expect(entry.line == line)
      #expect(try JSONValue(parsing: line) == .object(entry.json))
      #expect(entry.json.names.last == "hash")
      #expect(try entry.verifySignature()["challenge"] == "Pay 10 EUR")
    }
  }

  /// Whoever writes to the ledger could give a line its right hash in any form. An entry has one.
  @Test(
    arguments: [
      (#""number":1,"#, #""number":1.0,"#), (#""number":1,"#, #""number":1e0,"#),
      (#"{"number":"#, #"{ "number":"#),
      (#","kind":"#, #", "kind":"#), (#""realm":"alpha""#, #""realm":"\u0061lpha""#),
      (#""node":"node-1","username":"mira""#, #""username":"mira","node":"node-1""#),
      (#""time":1800000000000"#, #""time":1800000000000.0"#), (#""rate":1.5"#, #""rate":1.50"#),
      (#""rate":1.5"#, #""rate":15e-1"#), (#","transaction":"#, #","more":null,"transaction":"#),
      (#""iss/""#, #""iss\/""#), ("\n", "\r\n"),
    ])
  func `an entry in another form is not one, also with the right hash`(change: (String, String)) async throws
  {
    let record = try await EvidenceDevice().record { _, record in record.journey = "iss/" }
    let text = try String(decoding: Ledger([record]).entries[0], as: UTF8.self)
    let body = try #require(text.components(separatedBy: #","hash":""#).first)
    func line(_ body: String) -> [UInt8] {
      let hash = Base64URL.encode(SHA256.hash(data: Data("sealring evidence entry 1\n\(body)".utf8)))
      return Array(#"\#(body),"hash":"\#(hash)"}"#.utf8)
    }
    #expect(line(body) == Array(text.utf8))
    let other =
      change.0 == "\n" ? "\(body)\n" : body.replacing(change.0, with: change.1, maxReplacements: 1)
    #expect(other != body)
    let fault = #expect(throws: EvidenceFault.self) { try EvidenceEntry(line: line(other)) }
    #expect(fault?.kind == .changed && fault?.entry == 1)
  }

  /// Whoever has no JSON parser and no Sealring can check the chain: SHA-256 of a tag and of what stands before the hash.
  @Test func `the hash is that of the bytes before it`() async throws {
    let ledger = try await Ledger.sample(2)
    var previous = ledger.header.fingerprint.text
    for line in try ledger.entries {
      let text = String(decoding: line, as: UTF8.self)
      let body = try #require(text.components(separatedBy: #","hash":""#).first)
      let hash = Base64URL.encode(SHA256.hash(data: Data("sealring evidence entry 1\n\(body)".utf8)))
      #expect(text.hasSuffix(#","hash":"\#(hash)"}"#))
      #expect(text.contains(#""previous":"\#(previous)""#))
      previous = hash
    }
  }

  @Test(arguments: 0..<24 as Range<UInt64>)
  func `one flipped bit is found, and the entry that it is in is named`(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let lines = try await Ledger.sample(5).export()
    let bytes = file(lines)
    let starts = lines.dropLast().reduce(into: [0]) { $0.append($0[$0.count - 1] + $1.count + 1) }
    for _ in 0..<64 {
      let place = Int.random(in: 0..<bytes.count - 1, using: &generator)
      var changed = bytes
      changed[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let index = try #require(starts.lastIndex { $0 <= place })
      let fault = try await fault(changed)
      let expected = (1...5).contains(index) ? Int64(index) : nil
      #expect(fault.entry == expected, "byte \(place): \(fault)")
    }
  }

  @Test func `every bit of one entry counts`() async throws {
    let lines = try await Ledger.sample(3).export()
    for bit in 0..<lines[2].count * 8 {
      var changed = lines
      changed[2][bit / 8] ^= 1 << UInt8(bit % 8)
      let verifier = EvidenceVerifier(checksSignatures: false)
      #expect(try await fault(file(changed), with: verifier).entry == 2)
    }
  }

  @Test(arguments: 1...5) func `a removed entry is named`(number: Int) async throws {
    var lines = try await Ledger.sample(5).export()
    lines.remove(at: number)
    let fault = try await fault(file(lines))
    #expect(fault.kind == .removed && fault.entry == Int64(number))
  }

  @Test(arguments: [(1, 2), (2, 3), (4, 5), (1, 5)]) func `swapped entries are named`(pair: (Int, Int))
    async throws
  {
    var lines = try await Ledger.sample(5).export()
    lines.swapAt(pair.0, pair.1)
    let fault = try await fault(file(lines))
    #expect(fault.kind == .reordered && fault.entry == Int64(pair.0))
  }

  @Test(arguments: [(2, 3), (2, 5), (5, 6)]) func `a repeated entry is named`(copy: (Int, Int)) async throws {
    var lines = try await Ledger.sample(5).export()
    lines.insert(lines[copy.0], at: copy.1)
    let fault = try await fault(file(lines))
    #expect(fault.kind == .duplicated && fault.entry == Int64(copy.0))
  }

  @Test func `an export that was cut anywhere is found out`() async throws {
    let lines = try await Ledger.sample(4).export()
    let bytes = file(lines)
    let body = bytes.count - lines[5].count - 1
    for end in stride(from: lines[0].count + 1, to: body, by: 97) + [body] {
      let fault = try await fault(Array(bytes[..<end]))
      let whole = Int64(bytes[..<end].count { $0 == 0x0A })
      #expect(fault.kind == .cut && fault.entry == whole, "cut at \(end): \(fault)")
    }
    let fault = try await fault(Array(bytes[..<(bytes.count - 20)]))
    #expect(fault.kind == .checkpoint && fault.entry == nil)
    #expect(try await self.faultKind([]) == .header)
  }

  private func faultKind(_ bytes: [UInt8]) async throws -> EvidenceFault.Kind { try await fault(bytes).kind }

  @Test func `entries removed before the checkpoint are counted`() async throws {
    var lines = try await Ledger.sample(5).export()
    lines.removeSubrange(4...5)
    let fault = try await fault(file(lines))
    #expect(fault.kind == .removed && fault.entry == 4)
    #expect(fault.reason.contains("entry 5"))
  }

  @Test func `entries appended by someone without the key are named`() async throws {
    var ledger = try await Ledger.sample(3)
    let lines = try await ledger.export()
    ledger.records.append(try await EvidenceDevice().record())
    let forged = try ledger.entries[3]
    var before = lines
    before.insert(forged, at: 4)
    let added = try await fault(file(before))
    #expect(added.kind == .added && added.entry == 4)
    let after = try await fault(file(lines + [forged]))
    #expect(after.kind == .added && after.entry == 4)
  }

  @Test func `an entry replaced with its hash breaks the chain after it`() async throws {
    var ledger = try await Ledger.sample(4)
    var lines = try await ledger.export()
    ledger.records[1].transaction = ["amount": "1000.00"]
    lines[2] = try ledger.entries[1]
    let fault = try await fault(file(lines))
    #expect(fault.kind == .changed && fault.entry == 3 && fault.reason.contains("entry 2"))
  }

  @Test func `a chain that was made anew does not have the signed head`() async throws {
    var ledger = try await Ledger.sample(4)
    let lines = try await ledger.export()
    ledger.records[1].transaction = ["amount": "1000.00"]
    let fault = try await fault(file([lines[0]] + (try ledger.entries) + [lines[5]]))
    #expect(fault.kind == .rewritten && fault.entry == 4)
  }

  @Test func `a ledger of another key is not this ledger`() async throws {
    let ledger = try await Ledger.sample(3)
    let other = try Ledger(ledger.records)
    let lines = try await other.export()
    // It agrees with itself, so only a fingerprint noted before tells the two apart.
    _ = try await verify(file(lines))
    let noted = EvidenceVerifier(fingerprint: ledger.header.fingerprint)
    #expect(try await fault(file(lines), with: noted).kind == .ledger)
    // Another key's checkpoint under this ledger's header.
    let mixed = try await ledger.export().dropLast() + [lines[4]]
    #expect(try await fault(file(Array(mixed))).kind == .checkpoint)
  }

  @Test func `what the server's own key has rewritten is found by an earlier checkpoint`() async throws {
    var ledger = try await Ledger.sample(5)
    let honest = try await Ledger(Array(ledger.records.prefix(3)), key: ledger.key).export()
    let verifier = EvidenceVerifier(earlierCheckpoint: honest[4])
    _ = try await verify(file(try await ledger.export()), with: verifier)
    _ = try await verify(file(honest), with: verifier)

    let short = try await Ledger(Array(ledger.records.prefix(2)), key: ledger.key).export()
    let removed = try await fault(file(short), with: verifier)
    #expect(removed.kind == .removed && removed.entry == 3)
    ledger.records[0].time += 1
    let rewritten = try await fault(file(try await ledger.export()), with: verifier)
    #expect(rewritten.kind == .rewritten && rewritten.entry == 3)
    let foreign = EvidenceVerifier(earlierCheckpoint: try await Ledger.sample(1).export()[2])
    #expect(try await fault(file(honest), with: foreign).kind == .ledger)
  }

  @Test(arguments: [
    "", "\n", "{}", "not an export", #"{"sealring":"evidence"}"#,
    #"{"sealring":"evidence","version":2,"ledger":"x","key":{}}"#,
  ])
  func `what is no export is said to be none`(text: String) async throws {
    let fault = try await fault(Array(text.utf8))
    #expect(fault.kind == .header && fault.entry == nil)
  }

  @Test func `an endless line takes no endless memory`() async throws {
    let header = try await Ledger.sample(0).export()[0]
    var pieces = 0
    let fault = await #expect(throws: EvidenceFault.self) {
      _ = try await EvidenceVerifier().verify {
        pieces += 1
        return pieces == 1 ? header + [0x0A] : [UInt8](repeating: 0x41, count: 1 << 16)
      }
    }
    #expect(fault?.entry == 1)
    #expect(pieces < 64)
  }
}
