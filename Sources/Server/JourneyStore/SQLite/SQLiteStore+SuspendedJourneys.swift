public import Foundation
internal import GRDB

extension SQLiteStore {
  public func suspendJourney(_ journey: SuspendedJourneyRecord) async throws {
    try await write("a suspended journey") { [serverKey] db in
      try Self.requireRealm(RealmKey(journey.realm).realm, in: db)
      try db.insert(journey.row(serverKey), into: SuspendedJourneySQL.table)
    }
  }

  public func resumeJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    let (take, serverKey) = (SuspendedJourneySQL.take(idHash, realm: realm, now: now), serverKey)
    return try await write("a resumed journey") { db in
      let sealed = try db.all(SuspendedJourneySQL.table, take.sql, take.values) { try $0.bytes() }.first
      // Before it is durable: what this server cannot read stays for one that can.
      return try sealed.map { try SuspendedJourneySQL.open($0, idHash: idHash, serverKey) }
    }
  }

  public func suspendedJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    let look = SuspendedJourneySQL.look(idHash, realm: realm, now: now)
    let sealed = try await self.look { db in
      try db.all(SuspendedJourneySQL.table, look.sql, look.values) { try $0.bytes() }.first
    }
    return try sealed.map { try SuspendedJourneySQL.open($0, idHash: idHash, serverKey) }
  }
}
