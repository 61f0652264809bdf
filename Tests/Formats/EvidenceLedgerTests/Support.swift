import Crypto
import EvidenceLedger
import Foundation
import JOSE
import StrictJSON
import Testing

/// A device of user mira with one key.
struct EvidenceDevice {
  let id: String
  let key = P256.Signing.PrivateKey()

  init(_ id: String = "device-1") { self.id = id }

  var jwk: JWK {
    get throws { try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: id) }
  }

  /// The evidence of a signature made at `time`, milliseconds since 1970; `change` makes it a false one.
  func record(
    _ kind: EvidenceRecord.Kind = .sign, time: Int64 = 1_800_000_000_000, challenge: String = "Pay 10 EUR",
    _ change: (inout JSONObject, inout EvidenceRecord) -> Void = { _, _ in }
  ) async throws -> EvidenceRecord {
    let subject = "id=mira,ou=user,o=alpha,ou=services,ou=am-config"
    var claims: JSONObject = [
      "sub": .string(subject), "iss": "com.acme.wallet", "challenge": .string(challenge),
      "iat": .integer(time / 1000), "nbf": .integer(time / 1000), "exp": .integer(time / 1000 + 60),
      // No two tokens are the same.
      "n": .string(UUID().uuidString),
    ]
    let jwk = try jwk
    var record = EvidenceRecord(
      kind: kind, time: time, realm: "alpha", journey: "SignTransaction", nodeID: "node-1", username: "mira",
      userID: subject, accountID: kind == .sign ? "id of mira" : nil, device: id, key: jwk.json,
      attestation: kind == .bind ? ["kind": "tpm"] : nil,
      transaction: kind == .sign ? ["amount": "10.00", "rate": 1.5, "über": [.null, true]] : nil, jws: "")
    change(&claims, &record)
    record.jws = try await JWS.compact(
      header: JWSHeader(algorithm: .es256, type: "JWS", keyID: id, jwk: kind == .bind ? jwk : nil),
      claims: claims, signer: P256Signer(privateKey: key))
    return record
  }
}

/// A server's ledger, and the exports that it and others could make.
struct Ledger {
  let key: P256.Signing.PrivateKey
  let header: EvidenceHeader
  var records: [EvidenceRecord] = []

  init(_ records: [EvidenceRecord] = [], key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) throws {
    self.key = key
    header = EvidenceHeader(
      ledger: "AAAAAAAAAAAAAAAAAAAAAA",
      key: try JWK(p256X963: [UInt8](key.publicKey.x963Representation), keyID: nil))
    self.records = records
  }

  static func sample(_ count: Int) async throws -> Ledger {
    let device = EvidenceDevice()
    var ledger = try Ledger()
    for number in 0..<count {
      ledger.records.append(
        try await device.record(number == 0 ? .bind : .sign, time: 1_800_000_000_000 + Int64(number)))
    }
    return ledger
  }

  /// The lines of all entries.
  var entries: [[UInt8]] {
    get throws {
      var chain = EvidenceChain(header: header)
      return try records.map { record in
        let entry = try EvidenceEntry(number: chain.count + 1, previous: chain.head, record: record)
        try chain.append(entry.line)
        return entry.line
      }
    }
  }

  func checkpoint(of lines: [[UInt8]]) async throws -> [UInt8] {
    var chain = EvidenceChain(header: header)
    for line in lines { try chain.append(line) }
    return try await EvidenceCheckpoint(of: chain, at: 1_800_000_100_000, signer: P256Signer(privateKey: key))
      .line
  }

  /// Header, entries, checkpoint.
  func export() async throws -> [[UInt8]] {
    let lines = try entries
    return [header.line] + lines + [try await checkpoint(of: lines)]
  }
}

/// The bytes of an export.
func file(_ lines: [[UInt8]]) -> [UInt8] { lines.flatMap { $0 + [0x0A] } }

/// Verifies an export that is read in pieces of an odd size.
func verify(_ bytes: [UInt8], with verifier: EvidenceVerifier = EvidenceVerifier()) async throws
  -> EvidenceExportCheck.Summary
{
  var rest = bytes[...]
  return try await verifier.verify {
    defer { rest = rest.dropFirst(777) }
    return Array(rest.prefix(777))
  }
}

/// What is wrong with an export.
func fault(_ bytes: [UInt8], with verifier: EvidenceVerifier = EvidenceVerifier()) async throws
  -> EvidenceFault
{
  try #require(
    await #expect(throws: EvidenceFault.self) { _ = try await verify(bytes, with: verifier) })
}
