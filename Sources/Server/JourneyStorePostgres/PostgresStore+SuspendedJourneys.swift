package import Foundation
package import JourneyStore

extension PostgresStore {
  package func suspendJourney(_ journey: SuspendedJourneyRecord) async throws {
    try await write("a suspended journey") { [serverKey] transaction in
      try await transaction.requireRealm(RealmKey(journey.realm).realm)
      _ = try await transaction.run([.insert(journey.row(serverKey), into: SuspendedJourneySQL.table)])
    }
  }

  package func resumeJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    let (take, serverKey) = (SuspendedJourneySQL.take(idHash, realm: realm, now: now), serverKey)
    return try await write("a resumed journey") { transaction in
      let answers = try await transaction.run([Statement(take.sql, take.values)])
      let sealed = try answers.first?.all(SuspendedJourneySQL.table) { try $0.bytes() }.first
      // Before it is durable: what this server cannot read stays for one that can.
      return try sealed.map { try SuspendedJourneySQL.open($0, idHash: idHash, serverKey) }
    }
  }

  package func suspendedJourney(idHash: String, realm: String, now: Date) async throws -> StoredSecret? {
    let look = SuspendedJourneySQL.look(idHash, realm: realm, now: now)
    let sealed = try await read(look.sql, look.values).all(SuspendedJourneySQL.table) { try $0.bytes() }.first
    return try sealed.map { try SuspendedJourneySQL.open($0, idHash: idHash, serverKey) }
  }
}
