import Accounts
import BindingFormats
import Concurrency
import Foundation
import JourneyStore
import Logging
import SecurityEvents
import StrictJSON
import Testing

/// Accounts in a store in memory, with people of each kind.
struct World {
  let store: SQLiteStore
  let accounts: Accounts
  let recorded = Locked<[SecurityEvent]>([])
  let notices = Locked<[AccountNotice]>([])

  /// Whether there is no room for events.
  let isFull = Locked(false)

  static let now = Date(timeIntervalSince1970: 1_800_000_000)
  static let ada = UniversalID(username: "ada", realm: "alpha")

  /// Who asks.
  enum Person: String, CaseIterable, Sendable {
    case owner, otherPerson, helpDesk, auditor, administrator, rootAdministrator, otherRealmsAdministrator

    var account: UniversalID {
      switch self {
      case .owner: World.ada
      case .otherPerson: UniversalID(username: "bob", realm: "alpha")
      case .helpDesk: UniversalID(username: "helen", realm: "alpha")
      case .auditor: UniversalID(username: "otto", realm: "alpha")
      case .administrator: UniversalID(username: "alice", realm: "alpha")
      case .rootAdministrator: UniversalID(username: "amAdmin", realm: "root")
      case .otherRealmsAdministrator: UniversalID(username: "berta", realm: "beta")
      }
    }

    var roles: Set<AccountRole> {
      switch self {
      case .owner, .otherPerson: []
      case .helpDesk: [.helpDesk]
      case .auditor: [.auditor]
      case .administrator, .rootAdministrator, .otherRealmsAdministrator: [.administrator]
      }
    }
  }

  private struct Sink: SecurityEventSink {
    let recorded: Locked<[SecurityEvent]>
    let isFull: Locked<Bool>
    func record(_ event: SecurityEvent, durably: Bool) async throws {
      recorded.withLock { $0.append(event) }
      if isFull.withLock({ $0 }) { throw SecurityEventError("disk full") }
    }
  }

  private struct Hashes: PasswordVerifying {
    func verify(_ password: String, against hash: String?) async throws -> Bool {
      hash == "hash of \(password)"
    }
    func hash(_ password: String) async throws -> String { "hash of \(password)" }
  }

  init(_ requirement: FactorChangePolicy.Requirement = .any, schema: ManagedSchema = .standard) async throws {
    store = try SQLiteStore.inMemory()
    let (recorded, notices, isFull) = (recorded, notices, isFull)
    accounts = Accounts(
      store: store, passwords: Hashes(), schema: schema,
      factorChanges: FactorChangePolicy(standard: requirement),
      events: SecurityEvents(
        sink: Sink(recorded: recorded, isFull: isFull), clock: { World.now }, logger: Logger(label: "test")),
      clock: { World.now }, notify: { notice in notices.withLock { $0.append(notice) } })
    for person in Person.allCases {
      try await store.createUser(
        UserRecord(
          realm: person.account.realm, username: person.account.username, passwordHash: "hash of old secret",
          mail: ["\(person.account.username)@example.com"], createdAt: World.now, roles: person.roles))
    }
  }

  var user: UserRecord { get async throws { try #require(try await store.user(Self.ada)) } }

  /// A session that proved its person `age` seconds ago.
  func session(_ person: Person, level: Int = 1, age: TimeInterval = 0) async throws -> AccountActor {
    .session(try await record(person, level: level, age: age))
  }

  func record(_ person: Person, level: Int = 1, age: TimeInterval = 0) async throws -> SessionRecord {
    let moment = Self.now.addingTimeInterval(-age)
    let session = SessionRecord(
      tokenHash: Array("\(person) \(level) \(age)".utf8), handle: "\(person) \(level) \(age)",
      realm: person.account.realm, username: person.account.username, createdAt: moment,
      latestAccess: Self.now, maximumIdle: 600, expiresAt: Self.now + 6000, properties: [:],
      authLevel: level, authenticatedAt: moment)
    _ = try await store.openSession(NewSession(session, now: Self.now), by: nil)
    return session
  }

  /// Gives somebody a second factor.
  func addKey(_ person: Person) async throws {
    let account = person.account
    _ = try await store.addBoundDevice(
      BoundDeviceRecord(
        uuid: "key of \(account.username)", realm: account.realm, username: account.username, deviceID: "d",
        deviceName: "Phone", key: ["kty": "EC"], thumbprint: "t \(account.username)", createdDate: Self.now,
        lastAccessDate: Self.now), limit: 0)
  }

  var events: [SecurityEvent.Kind] { recorded.withLock { $0.map(\.kind) } }
}

/// What came of asking for an act.
enum Verdict: Hashable, Sendable {
  case allowed, forbidden, stepUp

  static func of(_ act: AccountAct, by actor: AccountActor, in world: World) async throws -> Verdict {
    do { _ = try await world.accounts.permit(act, World.ada, by: actor) } catch let refusal as AccountRefusal
    {
      switch refusal {
      case .forbidden: return .forbidden
      case .stepUp: return .stepUp
      default: throw refusal
      }
    }
    return .allowed
  }
}
