import EvidenceLedger
import JOSE
import StrictJSON
import Testing

/// The chain says that nothing was changed since it was written; these say that what was written is what was signed.
@Suite struct SignatureTests {
  struct Lie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var kind = EvidenceRecord.Kind.sign
    let change: @Sendable (inout JSONObject, inout EvidenceRecord) -> Void
  }

  static let lies = [
    Lie(testDescription: "another user") { $1.userID = "id=noor,ou=user,o=alpha,ou=services,ou=am-config" },
    Lie(testDescription: "another name") { $1.username = "noor" },
    Lie(testDescription: "another realm") { $1.realm = "root" },
    Lie(testDescription: "another subject") { claims, _ in claims["sub"] = "id=noor" },
    Lie(testDescription: "no subject") { claims, _ in claims["sub"] = nil },
    Lie(testDescription: "another device") { $1.device = "device-2" },
    Lie(testDescription: "another key") { $1.key = (try? EvidenceDevice().jwk.json) ?? [:] },
    // An earlier entry has the device's key, which is imported once: only this very key may pass for it.
    Lie(testDescription: "a key half of which is the device's") {
      $1.key["y"] = (try? EvidenceDevice().jwk.json)?["y"]
    },
    Lie(testDescription: "the device's key by another name") { $1.key["kid"] = "device-2" },
    Lie(testDescription: "the device's key for another algorithm") { $1.key["alg"] = "RS256" },
    Lie(testDescription: "no key") { $1.key = [:] },
    Lie(testDescription: "another key at binding", kind: .bind) {
      $1.key = (try? EvidenceDevice().jwk.json) ?? [:]
    },
    Lie(testDescription: "a day later") { $1.time += 86_400_000 },
    Lie(testDescription: "a day earlier") { $1.time -= 86_400_000 },
    Lie(testDescription: "without an end") { claims, _ in claims["exp"] = nil },
    Lie(testDescription: "made in the future") { claims, _ in claims["iat"] = 1_900_000_000 },
  ]

  @Test(arguments: lies) func `an entry that says something else than the signature is named`(lie: Lie)
    async throws
  {
    let device = EvidenceDevice()
    let ledger = try Ledger([
      try await device.record(.bind), try await device.record(lie.kind, lie.change),
      try await device.record(),
    ])
    let bytes = file(try await ledger.export())
    let fault = try await fault(bytes)
    #expect(fault.kind == .signature && fault.entry == 2, "\(fault)")
    _ = try await verify(bytes, with: EvidenceVerifier(checksSignatures: false))
    // The verifier in another language keeps the same rules.
    #expect(try IndependentVerifier.judge(bytes)?.contains("Traceback") == false)
  }

  @Test func `the first of several bad signatures is named, whoever finds it first`() async throws {
    let device = EvidenceDevice()
    var records: [EvidenceRecord] = []
    for number in 1...300 {
      records.append(
        try await device.record { claims, _ in
          if number == 130 || number > 200 { claims["sub"] = "id=noor" }
        })
    }
    let bytes = file(try await Ledger(records).export())
    let fault = try await fault(bytes, with: EvidenceVerifier(workers: 4))
    #expect(fault.entry == 130)
  }

  @Test func `a token that was changed does not verify`() async throws {
    var record = try await EvidenceDevice().record()
    let parts = record.jws.split(separator: ".")
    for jws in ["", "a.b.c", "\(parts[0]).\(parts[1])", "\(parts[0]).e30.\(parts[2])"] {
      record.jws = jws
      let fault = try await fault(file(try await Ledger([record]).export()))
      #expect(fault.kind == .signature && fault.entry == 1)
    }
  }

  @Test func `the root realm is written in any case, and its users' ids have no realm`() async throws {
    let id = "id=mira,ou=user,ou=am-config"
    let record = try await EvidenceDevice().record { claims, record in
      claims["sub"] = .string(id)
      (record.userID, record.realm) = (id, "Root")
    }
    #expect(try EvidenceEntry(line: Ledger([record]).entries[0]).verifySignature()["sub"] == .string(id))
    #expect(try IndependentVerifier.judge(file(try await Ledger([record]).export())) == nil)
  }
}
