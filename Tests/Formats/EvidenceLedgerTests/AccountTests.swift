import Foundation
import StrictJSON
import Testing

@testable import EvidenceLedger

@Suite("The account's id in an entry") struct AccountTests {
  private func entry(_ account: String?) async throws -> EvidenceEntry {
    var record = try await EvidenceDevice().record()
    record.accountID = account
    return try EvidenceEntry(number: 1, previous: Ledger().header.fingerprint, record: record)
  }

  /// A line with the right hash, whatever it says.
  private func sealed(_ text: String) throws -> [UInt8] {
    let body = Array(text.utf8.dropLast())
    let hash = EvidenceHash(of: body, in: .entry)
    return body + Array(#","hash":"\#(hash.text)"}"#.utf8)
  }

  @Test func `it stands in the hashed part, after the token, and is read back`() async throws {
    let entry = try await entry("a-1")
    let line = String(decoding: entry.line, as: UTF8.self)
    #expect(line.contains(#""jws":"\#(entry.record.jws)","account":"a-1","hash":"#))
    #expect(try EvidenceEntry(line: entry.line) == entry)
    #expect(entry.json["account"] == "a-1")
    #expect(throws: EvidenceFault.self) {
      try EvidenceEntry(line: Array(line.replacing("a-1", with: "a-2").utf8))
    }
  }

  @Test func `entries from before have none, and stay what they were`() async throws {
    let entry = try await entry(nil)
    #expect(!String(decoding: entry.line, as: UTF8.self).contains("account\""))
    #expect(try EvidenceEntry(line: entry.line).record.accountID == nil)
  }

  @Test func `a ledger that has both verifies as a whole`() async throws {
    let device = EvidenceDevice()
    var records: [EvidenceRecord] = []
    for (time, account) in [(1, nil), (2, "a-1"), (3, nil), (4, "a-2")] as [(Int64, String?)] {
      var record = try await device.record(time: 1_800_000_000_000 + time)
      record.accountID = account
      records.append(record)
    }
    let summary = try await verify(file(try await Ledger(records).export()))
    #expect(summary.checkpoint.count == 4)
  }

  @Test(arguments: [
    #","account":"""#, #","account":null"#, #","account":1"#, #","account":"a","account":"b""#,
    #","account":"a","other":"b""#, #","other":"a""#, #","Account":"a""#,
  ])
  func `nothing else stands in its place`(_ members: String) async throws {
    let body = String(decoding: try await entry(nil).line.dropLast(54), as: UTF8.self)
    #expect(throws: Never.self) { try EvidenceEntry(line: sealed("\(body)}")) }
    #expect(throws: EvidenceFault.self) { try EvidenceEntry(line: sealed("\(body)\(members)}")) }
  }

  @Test func `it stands in no other place`() async throws {
    let body = String(decoding: try await entry(nil).line.dropLast(54), as: UTF8.self)
      .replacing(#","jws":"#, with: #","account":"a-1","jws":"#)
    #expect(throws: EvidenceFault.self) { try EvidenceEntry(line: sealed("\(body)}")) }
  }
}
