import Bytes
import Crypto
import EvidenceLedger
import Foundation
import JOSE
import SigningTransactions
import StrictJSON
import Testing

/// The chain says that nothing was changed since it was written; these say that the transaction is the one that was signed.
@Suite struct TransactionProofTests {
  private let device = EvidenceDevice()
  private let offer: OfferedTransaction

  init() throws {
    let rent = try Transaction(amount: "12.50", currency: "EUR", payee: "Krüger")
    offer = try #require(OfferedTransaction(id: "t-1", transaction: rent, nonce: Array(0..<32)))
  }

  /// The evidence of an approval, as the server keeps it.
  private func record(
    _ kind: EvidenceRecord.Kind = .sign, _ change: (inout JSONObject, inout JSONObject) -> Void = { _, _ in }
  ) async throws -> EvidenceRecord {
    try await device.record(kind, challenge: offer.challenge) { claims, record in
      var transaction = offer.json
      transaction["application"] = "shop"
      claims["txn"] = "t-1"
      change(&claims, &transaction)
      record.transaction = transaction.isEmpty ? nil : transaction
    }
  }

  private func entry(_ record: EvidenceRecord) throws -> EvidenceEntry {
    try EvidenceEntry(line: Ledger([record]).entries[0])
  }

  @Test func `an approval verifies, and its transaction is known to be signed`() async throws {
    let entry = try entry(await record())
    #expect(try entry.verifySignature()["txn"] == "t-1")
    #expect(entry.transactionProof == .txn)
    #expect(try IndependentVerifier.judge(file(try await Ledger([entry.record]).export())) == nil)
  }

  struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var kind = EvidenceRecord.Kind.sign
    let reason: String
    let change: @Sendable (_ claims: inout JSONObject, _ transaction: inout JSONObject) -> Void
  }

  static let lies = [
    Lie(testDescription: "another amount", reason: "not that of the transaction's fields") {
      $1["fields"] = ["amount": "1250.00", "currency": "EUR", "payee": "Krüger"]
    },
    Lie(testDescription: "another nonce", reason: "not that of the transaction's fields") {
      $1["nonce"] = .string(Base64URL.encode(Array(repeating: 0, count: 32)))
    },
    Lie(testDescription: "a field more", reason: "no device could have been shown") {
      $1["fields"] = ["text": "Hello", "memo": "x"]
    },
    Lie(testDescription: "another challenge", reason: "not that of the transaction's fields") { claims, _ in
      claims["challenge"] = "Pay 10 EUR"
    },
    Lie(testDescription: "no challenge", reason: "not that of the transaction's fields") { claims, _ in
      claims["challenge"] = nil
    },
    Lie(testDescription: "another id", reason: "approves another transaction") { $1["id"] = "t-2" },
    Lie(testDescription: "another txn", reason: "approves another transaction") { claims, _ in
      claims["txn"] = "t-2"
    },
    Lie(testDescription: "no txn", reason: "does not say that the transaction was shown") { claims, _ in
      claims["txn"] = nil
    },
    Lie(testDescription: "plain proofs only said to be false", reason: "does not say that") {
      $0["txn"] = nil
      $1["plainProofs"] = false
    },
    Lie(testDescription: "the nonce taken out", reason: "has none with fields and nonce") {
      $1["nonce"] = nil
    },
    Lie(testDescription: "the transaction taken out", reason: "has none with fields and nonce") { $1 = [:] },
    Lie(testDescription: "a binding as an approval", kind: .bind, reason: "no device could have been shown") {
      _, _ in
    },
    Lie(testDescription: "another txn under plain proofs", reason: "approves another transaction") {
      $0["txn"] = "t-2"
      $1["plainProofs"] = true
    },
  ]

  @Test(arguments: lies)
  func `a transaction that is not the signed one is named`(lie: Lie) async throws {
    let record = try await record(lie.kind, lie.change)
    let isPlain = lie.reason.contains("does not say")
    #expect(try entry(record).transactionProof == (isPlain ? .plain : .contradicted))
    let bytes = file(try await Ledger([try await device.record(.bind), record]).export())
    let fault = try await fault(bytes)
    #expect(fault.kind == .signature && fault.entry == 2 && fault.reason.contains(lie.reason), "\(fault)")
    // The verifier in another language keeps the same rules.
    #expect(try IndependentVerifier.judge(bytes)?.contains("Traceback") == false)
  }

  @Test func `an application that takes plain proofs is believed to, where the entry says so`() async throws {
    let plain = try await record {
      $0["txn"] = nil
      $1["plainProofs"] = true
    }
    let entry = try entry(plain)
    try entry.verifySignature()
    #expect(entry.transactionProof == .plain)
    let bytes = file(try await Ledger([plain]).export())
    _ = try await verify(bytes)
    #expect(try IndependentVerifier.judge(bytes) == nil)
  }

  @Test func `entries from before txn verify when that is asked for`() async throws {
    let old = try await record { claims, _ in claims["txn"] = nil }
    let bytes = file(try await Ledger([old]).export())
    #expect(try await fault(bytes).entry == 1)
    _ = try await verify(bytes, with: EvidenceVerifier(allowsPlainProofs: true))
    var changed = old
    changed.transaction?["fields"] = ["text": "Hello"]
    let forged = file(try await Ledger([changed]).export())
    #expect(try await fault(forged, with: EvidenceVerifier(allowsPlainProofs: true)).entry == 1)
  }

  @Test func `what a journey put beside a signature is said not to be signed`() async throws {
    let entry = try entry(await device.record())
    try entry.verifySignature()
    #expect(entry.transactionProof == TransactionProof.none)
    #expect(try self.entry(await device.record { $1.transaction = nil }).transactionProof == nil)
  }

  @Test(arguments: [(1, 2), (3, 64), (1, 65), (64, 65), (70, 200)], [1, 4])
  func `a token that stands in two entries is named, the later one`(pair: (Int, Int), workers: Int)
    async throws
  {
    var records: [EvidenceRecord] = []
    for _ in 1...200 { records.append(try await device.record()) }
    records[pair.1 - 1] = records[pair.0 - 1]
    records[pair.1 - 1].journey = "SignIn"
    let bytes = file(try await Ledger(records).export())
    let fault = try await fault(bytes, with: EvidenceVerifier(workers: workers))
    #expect(fault.kind == .signature && fault.entry == Int64(pair.1), "\(fault)")
    _ = try await verify(bytes, with: EvidenceVerifier(checksSignatures: false))
  }

  @Test func `the same signed content under another signature is the same token`() async throws {
    let one = try await device.record()
    let token = try UnverifiedJWS(compact: one.jws)
    var other = one
    let signature = try device.key.signature(for: Data(token.signingInput)).rawRepresentation
    other.jws = String(decoding: token.signingInput, as: UTF8.self) + "." + Base64URL.encode(signature)
    #expect(one.jws != other.jws)
    let bytes = file(try await Ledger([one, other]).export())
    #expect(try await fault(bytes).entry == 2)
    #expect(try IndependentVerifier.judge(bytes)?.contains("same signed token") == true)
  }
}
