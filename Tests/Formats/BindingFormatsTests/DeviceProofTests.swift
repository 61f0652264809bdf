import BindingFormats
import Bytes
import Crypto
import Foundation
import ProofFixtures
import SigningTransactions
import StrictJSON
import Testing

@Suite("Proofs of device keys")
struct DeviceProofTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let seconds: Int64 = 1_800_000_000
  private static let device = ProofDevice(keyID: "5C0B1E2A")

  private let expectations = DeviceProof.Expectations(
    subject: miraID, challenge: .text("Q2hhbGxlbmdl"), applicationIDs: ["com.acme.app", "com.acme.wallet"],
    skew: 60,
    now: now)

  /// What a proof of `device` comes to; `nil` when it is accepted.
  private func verdict(
    binds: Bool, device: ProofDevice = device, _ change: (inout ProofParts) -> Void
  ) throws -> ProofFailure? {
    let compact = try device.proof(
      subject: miraID, challenge: "Q2hhbGxlbmdl", now: Self.now, binds: binds, change)
    do {
      let jws = try DeviceProof.parse(compact)
      if binds {
        _ = try DeviceProof.verifyBinding(jws, expecting: expectations)
      } else {
        _ = try DeviceProof.keyID(of: jws)
        _ = try DeviceProof.verifySigning(jws, storedKey: device.jwk, expecting: expectations)
      }
      return nil
    } catch { return error }
  }

  struct Case: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let binding: ProofFailure?
    let signing: ProofFailure?
    let change: @Sendable (inout ProofParts) -> Void

    /// The same verdict for both kinds.
    init(_ title: String, _ both: ProofFailure?, _ change: @escaping @Sendable (inout ProofParts) -> Void) {
      self.init(title, binding: both, signing: both, change)
    }

    init(
      _ title: String, binding: ProofFailure?, signing: ProofFailure?,
      _ change: @escaping @Sendable (inout ProofParts) -> Void
    ) {
      testDescription = title
      self.binding = binding
      self.signing = signing
      self.change = change
    }
  }

  /// Flips the lowest bit of the last byte of the part at `index`.
  private static func flip(_ index: Int) -> (String) -> String {
    { compact in
      var parts = compact.split(separator: ".").map(String.init)
      guard var bytes = Base64URL.decode(parts[index]), let last = bytes.popLast() else { return compact }
      parts[index] = Base64URL.encode(bytes + [last ^ 1])
      return parts.joined(separator: ".")
    }
  }

  static let form: [Case] = [
    Case("as it should be", nil) { _ in },
    Case("typ JWT", nil) { $0.header["typ"] = "JWT" },
    Case("typ absent", nil) { $0.header["typ"] = nil },
    Case("typ something else", .typeNotAllowed) { $0.header["typ"] = "JOSE+JSON" },
    Case("typ no text", .typeNotAllowed) { $0.header["typ"] = 1 },
    Case("empty", .malformed) { $0.tamper = { _ in "" } },
    Case("two parts", .malformed) { $0.tamper = { String($0[..<($0.lastIndex(of: ".") ?? $0.endIndex)]) } },
    Case("four parts", .malformed) { $0.tamper = { $0 + ".AA" } },
    Case("padding", .malformed) { $0.tamper = { $0 + "==" } },
    Case("too long", .malformed) { $0.claims["x"] = .string(String(repeating: "x", count: 20_000)) },
    Case("header with a duplicate member", .malformed) {
      $0.tamper = { compact in
        let header = Base64URL.encode(Array(#"{"alg":"ES256","alg":"ES256","kid":"5C0B1E2A"}"#.utf8))
        return header + compact[(compact.firstIndex(of: ".") ?? compact.endIndex)...]
      }
    },
    Case("alg absent", .algorithmNotAllowed) { $0.header["alg"] = nil },
    Case("alg none", .algorithmNotAllowed) { $0.header["alg"] = "none" },
    Case("alg none, without signature", .algorithmNotAllowed) {
      $0.header["alg"] = "none"
      $0.tamper = { String($0[...($0.lastIndex(of: ".") ?? $0.startIndex)]) }
    },
    Case("alg HS256", .algorithmNotAllowed) { $0.header["alg"] = "HS256" },
    Case("alg ES384", .algorithmNotAllowed) { $0.header["alg"] = "ES384" },
    Case("crit", .extensionDemanded) { $0.header["crit"] = ["exp"] },
    Case("b64", .extensionDemanded) { $0.header["b64"] = false },
    Case("kid absent", .keyIDMissing) { $0.header["kid"] = nil },
    Case("kid empty", .keyIDMissing) { $0.header["kid"] = "" },
    Case("kid no text", .keyIDMissing) { $0.header["kid"] = 5 },
    Case("kid of 257 bytes", .keyIDMissing) {
      $0.header["kid"] = .string(String(repeating: "k", count: 257))
    },
    Case("alg of another key type", binding: .algorithmMismatch, signing: .algorithmMismatch) {
      $0.header["alg"] = "RS256"
    },
  ]

  static let key: [Case] = [
    Case("jwk absent", binding: .keyMissing, signing: nil) { $0.header["jwk"] = nil },
    Case("jwk no object", binding: .keyRefused, signing: nil) { $0.header["jwk"] = "key" },
    Case("jwk with its private member", binding: .keyRefused, signing: nil) { parts in
      change(&parts) { $0["d"] = "AAAA" }
    },
    Case("jwk off the curve", binding: .keyRefused, signing: nil) { parts in
      change(&parts) { $0["x"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 32))) }
    },
    Case("jwk with a short coordinate", binding: .keyRefused, signing: nil) { parts in
      change(&parts) { $0["x"] = .string(Base64URL.encode([UInt8](repeating: 1, count: 31))) }
    },
    Case("jwk of another curve", binding: .keyRefused, signing: nil) { parts in
      change(&parts) { $0["crv"] = "P-384" }
    },
    Case("jwk with another kid", binding: .keyIDMismatch, signing: nil) { parts in
      change(&parts) { $0["kid"] = "other" }
    },
    Case("jwk without kid and alg", binding: nil, signing: nil) { parts in
      change(&parts) {
        $0["kid"] = nil
        $0["alg"] = nil
      }
    },
    Case("jwk of somebody else", binding: .signatureInvalid, signing: nil) { parts in
      parts.header["jwk"] = .object(ProofDevice(keyID: "5C0B1E2A").jwk)
    },
    Case("signature changed", .signatureInvalid) { $0.tamper = flip(2) },
    Case("claims changed", .signatureInvalid) { $0.tamper = flip(1) },
    Case("no signature", .signatureInvalid) {
      $0.tamper = { String($0[...($0.lastIndex(of: ".") ?? $0.startIndex)]) }
    },
    Case("signature in DER", .signatureInvalid) {
      $0.tamper = { compact in
        guard let dot = compact.lastIndex(of: "."),
          let raw = Base64URL.decode(compact[compact.index(after: dot)...]),
          let der = try? P256.Signing.ECDSASignature(rawRepresentation: raw).derRepresentation
        else { return "" }
        return compact[...dot] + Base64URL.encode(der)
      }
    },
  ]

  private static func change(_ parts: inout ProofParts, _ body: (inout JSONObject) -> Void) {
    var jwk = parts.header["jwk"]?.objectValue ?? Self.device.jwk
    body(&jwk)
    parts.header["jwk"] = .object(jwk)
  }

  static let claims: [Case] = [
    Case("payload no JSON", .claimsMalformed) { $0.payload = Array("pay".utf8) },
    Case("payload no object", .claimsMalformed) { $0.payload = Array("[]".utf8) },
    Case("payload with a duplicate claim", .claimsMalformed) {
      $0.payload = Array(#"{"sub":"a","sub":"b"}"#.utf8)
    },
    Case("sub absent", .subjectMismatch) { $0.claims["sub"] = nil },
    Case("sub of another user", .subjectMismatch) {
      $0.claims["sub"] = "id=rosa,ou=user,o=alpha,ou=services,ou=am-config"
    },
    Case("challenge absent", .challengeMismatch) { $0.claims["challenge"] = nil },
    Case("challenge of another length", .challengeMismatch) { $0.claims["challenge"] = "Q2hhbGxlbmd" },
    Case("challenge of the same length", .challengeMismatch) { $0.claims["challenge"] = "Q2hhbGxlbmdm" },
    Case("challenge with a blank", .challengeMismatch) { $0.claims["challenge"] = "Q2hhbGxlbmdl " },
    Case("iss absent", .issuerMissing) { $0.claims["iss"] = nil },
    Case("iss no text", .issuerNotAllowed) { $0.claims["iss"] = 1 },
    Case("iss of another application", .issuerNotAllowed) { $0.claims["iss"] = "com.evil.wallet" },
    Case("iss in another case", .issuerNotAllowed) { $0.claims["iss"] = "com.acme.Wallet" },
    Case("iss the other allowed one", nil) { $0.claims["iss"] = "com.acme.app" },
    Case("exp absent", .expiryMissing) { $0.claims["exp"] = nil },
    Case("exp no number", .claimsMalformed) { $0.claims["exp"] = "soon" },
    Case("exp passed by less than the skew", nil) { $0.claims["exp"] = .integer(seconds - 59) },
    Case("exp passed by the skew", .expired) { $0.claims["exp"] = .integer(seconds - 60) },
    Case("exp an hour after iat", nil) { $0.claims["exp"] = .integer(seconds + 3600) },
    Case("exp more than an hour after iat", .lifetimeTooLong) { $0.claims["exp"] = .integer(seconds + 3601) },
    Case("exp far away, without iat", .lifetimeTooLong) {
      $0.claims["iat"] = nil
      $0.claims["exp"] = .integer(seconds + 3661)
    },
    Case("exp beyond all numbers", .lifetimeTooLong) { $0.claims["exp"] = .number(1e300) },
    Case("exp with a fraction", nil) { $0.claims["exp"] = .number(1_800_000_030.5) },
    Case("nbf absent", nil) { $0.claims["nbf"] = nil },
    Case("nbf within the skew", nil) { $0.claims["nbf"] = .integer(seconds + 60) },
    Case("nbf beyond the skew", .notYetValid) { $0.claims["nbf"] = .integer(seconds + 61) },
    Case("iat absent", nil) { $0.claims["iat"] = nil },
    Case("iat within the skew", nil) { $0.claims["iat"] = .integer(seconds + 60) },
    Case("iat beyond the skew", .issuedInFuture) { $0.claims["iat"] = .integer(seconds + 61) },
    Case("custom claims", nil) { $0.claims["amount"] = ["value": 100, "currency": "USD"] },
  ]

  @Test(arguments: form + key + claims)
  func `binding checks form, key and claims`(_ each: Case) throws {
    #expect(try verdict(binds: true, each.change) == each.binding)
  }

  @Test(arguments: form + key + claims)
  func `signing checks form, the stored key and claims`(_ each: Case) throws {
    #expect(try verdict(binds: false, each.change) == each.signing)
  }

  @Test(arguments: ProofDevice.RSAAlgorithm.allCases)
  func `RSA keys sign with RS256, RS384 and RS512`(algorithm: ProofDevice.RSAAlgorithm) throws {
    let device = try ProofDevice(rsa: algorithm)
    #expect(try verdict(binds: true, device: device) { _ in } == nil)
    #expect(try verdict(binds: false, device: device) { _ in } == nil)
  }

  @Test func `an RSA key does not sign with another algorithm than it was bound for`() throws {
    let device = try ProofDevice(rsa: .rs512)
    #expect(try verdict(binds: false, device: device) { $0.header["alg"] = "RS256" } == .algorithmMismatch)
  }

  @Test func `texts that only look alike are different challenges`() throws {
    let challenge = "é"
    #expect(challenge == "e\u{301}")
    for (signed, failure) in [("é", nil), ("e\u{301}", ProofFailure.challengeMismatch)] {
      #expect(try verdict(on: .text(challenge), signed: signed) == failure)
    }
  }

  private static let transaction = Result {
    try #require(
      OfferedTransaction(
        id: "t-1", transaction: Transaction(text: "Open the gate"), nonce: [UInt8](0..<32)))
  }

  /// What a proof over `signed` with the claim `txn` comes to where `challenge` was sent.
  private func verdict(
    on challenge: Challenge, signed: String? = nil, txn: JSONValue? = nil, plain: Bool = false
  ) throws -> ProofFailure? {
    let compact = try Self.device.proof(
      subject: miraID, challenge: signed ?? challenge.wire, now: Self.now, binds: false
    ) { $0.claims["txn"] = txn }
    var expectations = expectations
    expectations.challenge = challenge
    expectations.takesPlainProofs = plain
    do {
      _ = try DeviceProof.verifySigning(
        DeviceProof.parse(compact), storedKey: Self.device.jwk, expecting: expectations)
      return nil
    } catch { return error }
  }

  @Test(arguments: [false, true])
  func `the claim 'txn' is there for the transaction that was sent, and for nothing else`(plain: Bool) throws
  {
    let offer = try Self.transaction.get()
    for challenge in [Challenge.random([UInt8](0..<32)), .text("Pay 10 EUR")] {
      #expect(try verdict(on: challenge, plain: plain) == nil)
      for txn: JSONValue in ["t-1", "", .null, 1] {
        #expect(try verdict(on: challenge, txn: txn, plain: plain) == .transactionUnexpected)
      }
    }
    #expect(try verdict(on: .transaction(offer), txn: "t-1", plain: plain) == nil)
    #expect(try verdict(on: .transaction(offer), plain: plain) == (plain ? nil : .transactionMissing))
    for txn: JSONValue in ["t-2", "", .null, 1] {
      #expect(try verdict(on: .transaction(offer), txn: txn, plain: plain) == .transactionMismatch)
    }
    #expect(
      try verdict(on: .transaction(offer), signed: "Open the gate", txn: "t-1", plain: plain)
        == .challengeMismatch)
  }

  @Test func `what makes a proof count once is its content, not the way its signature is written`() throws {
    func verified() throws -> DeviceProof.Verified {
      let compact = try Self.device.proof(
        subject: miraID, challenge: "Q2hhbGxlbmdl", now: Self.now, binds: false)
      return try DeviceProof.verifySigning(
        DeviceProof.parse(compact), storedKey: Self.device.jwk, expecting: expectations)
    }
    // Each ECDSA signature is another one.
    let (first, second) = (try verified(), try verified())
    #expect(first.contentHash == second.contentHash && first.contentHash.count == 32)
    #expect(first.end == Self.now + 60 + DeviceProof.longestSkew)
  }

  /// PingAM's published values and the causes it gives for them.
  @Test(
    arguments: [
      (ProofFailure.challengeMismatch, "INVALID_CLAIM"), (.issuerNotAllowed, "INVALID_CLAIM"),
      (.expired, "INVALID_CLAIM"), (.notYetValid, "INVALID_CLAIM"), (.signatureInvalid, "INVALID_SIGNATURE"),
      (.malformed, "INVALID_SIGNATURE"), (.userUnknown, "INVALID_USER"), (.userNotActive, "NOT_ACTIVE_USER"),
      (.accountLocked, "NOT_ACTIVE_USER"), (.subjectMismatch, "INVALID_SUBJECT"),
    ])
  func `a captured failure has PingAM's value`(failure: ProofFailure, value: String) {
    #expect(failure.captured == value)
  }

  @Test func `each failure has a text of its own`() {
    #expect(Set(ProofFailure.allCases.map(\.text)).count == ProofFailure.allCases.count)
  }
}
