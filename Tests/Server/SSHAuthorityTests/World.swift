import Accounts
import AuthenticatorFixtures
import BindingFormats
import Bytes
import CommonFixtures
import Concurrency
import Crypto
import Foundation
import JourneyStore
import KeyAttestation
import Logging
import ProofFixtures
import SSHFormats
import SecurityEvents
import StrictJSON
import Testing

@testable import SSHAuthority

/// A realm with an authority, in a store in memory, with ada, bob, an administrator and the help desk.
struct World {
  let store: SQLiteStore
  let accounts: Accounts
  let authority: SSHAuthority
  let clock = ManualDate(Date(timeIntervalSince1970: 1_800_000_000))
  let recorded = Locked<[SecurityEvent]>([])
  private let names = Locked(0)

  static let hostKey =
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl root@host"
  static let realm = "alpha"
  static let ada = UniversalID(username: "ada", realm: realm)

  private struct Sink: SecurityEventSink {
    let recorded: Locked<[SecurityEvent]>
    func record(_ event: SecurityEvent, durably: Bool) async throws {
      recorded.withLock { $0.append(event) }
    }
  }

  private struct Hashes: PasswordVerifying {
    func verify(_ password: String, against hash: String?) async throws -> Bool { hash == password }
    func hash(_ password: String) async throws -> String { password }
  }

  /// - Parameters:
  ///   - schema: by default the standard one.
  ///   - chip: what may attest keys; `nil` for nothing.
  init(
    schema: ManagedSchema = .standard, factors: FactorChangePolicy.Requirement = .any,
    trusting chip: Chip? = nil,
    _ change: (inout SSHAuthoritySettings) -> Void = { _ in }
  ) async throws {
    store = try SQLiteStore.inMemory()
    let (recorded, clock) = (recorded, clock)
    let events = SecurityEvents(
      sink: Sink(recorded: recorded), clock: { clock.now }, logger: Logger(label: "test"))
    accounts = Accounts(
      store: store, passwords: Hashes(), schema: schema, factorChanges: FactorChangePolicy(standard: factors),
      events: events, clock: { clock.now })
    authority = SSHAuthority(
      accounts: accounts, events: events, randomBytes: SystemRandom.bytes,
      attestation: try chip.map {
        AttestationVerifier(AttestationVerifier.Configuration(tpmRoots: try $0.roots), clock: { clock.now })
      }, challenges: SSHChallenges { [Array(repeating: 7, count: 32)] })
    for (name, realm, roles) in [
      ("ada", "alpha", []), ("bob", "alpha", []), ("alice", "alpha", [.administrator]),
      ("helen", "alpha", [.helpDesk]), ("amAdmin", "root", [.administrator]), ("ada", "root", []),
    ] as [(String, String, Set<AccountRole>)] {
      try await store.createUser(
        UserRecord(
          realm: realm, username: name, passwordHash: "secret", createdAt: clock.now - 1000, roles: roles))
    }
    var settings = SSHAuthoritySettings()
    change(&settings)
    try await authority.create(settings, of: Self.realm, by: .operator)
    recorded.withLock { $0 = [] }
  }

  /// A session that has just begun.
  func session(
    _ name: String = "ada", realm: String = realm, level: Int = 1, journey: String? = "Login",
    life: TimeInterval = 6000
  ) async throws -> SessionRecord {
    let number = names.withLock { number in
      number += 1
      return number
    }
    let session = SessionRecord(
      tokenHash: Array("session \(number)".utf8), handle: "session \(number)", realm: realm, username: name,
      createdAt: clock.now, latestAccess: clock.now, maximumIdle: 6000, expiresAt: clock.now + life,
      properties: [:], authLevel: level, service: journey)
    _ = try await store.openSession(NewSession(session, now: clock.now), by: nil)
    return try #require(try await store.session(tokenHash: session.tokenHash, now: clock.now))
  }

  /// What the authority gives for a key, verified.
  func certify(
    _ key: Subject = Subject(), for session: SessionRecord? = nil, principals: [String]? = nil,
    challenge: [UInt8]? = nil, attestation: JSONObject? = nil, in realm: String = realm
  ) async throws -> SSHCertificate {
    let owner = if let session { session } else { try await self.session() }
    let issued = try await authority.certify(
      SSHCertificateRequest(
        publicKey: key.line, principals: principals, challenge: challenge, attestation: attestation),
      for: owner, in: realm)
    return try Self.certificate(issued)
  }

  static func certificate(_ issued: IssuedSSHCertificate) throws -> SSHCertificate {
    let words = issued.line.split(separator: " ")
    let certificate = try SSHCertificate(verifying: try #require(PaddedBase64.decode(words[1])))
    #expect(certificate.type == String(words[0]))
    #expect(certificate.contents.serial == issued.serial)
    return certificate
  }

  func revokes(_ certificate: SSHCertificate) async throws -> Bool {
    let bytes = try await authority.revoked(Self.realm).bytes
    return try KeyRevocationList(parsing: bytes).revokes(certificate)
  }

  func events(_ kind: SecurityEvent.Kind) -> [SecurityEvent] {
    recorded.withLock { $0.filter { $0.kind == kind } }
  }
}

/// A key that is to be certified.
struct Subject {
  let key = P256.Signing.PrivateKey()

  private var point: [UInt8] { Array(key.publicKey.x963Representation) }

  var line: String {
    ((try? SSHPublicKey(point: point)).map { AuthorizedKey(key: $0, comment: "ada@laptop").line }) ?? ""
  }

  var jwk: JSONObject {
    [
      "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[1..<33])),
      "y": .string(Base64URL.encode(point[33...])),
    ]
  }

  /// The same point as a key in a FIDO authenticator.
  var securityKeyLine: String {
    let writer: [SSHField] = [
      .text(SSHPublicKey.securityKeyType), .text("nistp256"), .string(point), .text("ssh:"),
    ]
    return "\(SSHPublicKey.securityKeyType) \(PaddedBase64.encode(SSHField.bytes(writer))) token"
  }
}

/// What of a refusal a client reads.
func refusal(_ body: () async throws -> Void) async throws -> SSHRefusal {
  do { try await body() } catch let refusal as SSHRefusal { return refusal }
  Issue.record("it was not refused")
  throw CancellationError()
}
