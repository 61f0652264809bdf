import CommonFixtures
import Foundation
import JourneyStore
import JourneyStorePostgres
import PostgresFixtures
import Testing

@Suite("A PostgreSQL database on several hosts") struct SeveralHostsTests {
  private static let writable = "target_session_attrs=read-write"

  @Test func `the host that takes writes is found behind a standby and behind one that is down`() async throws
  {
    try await PostgresServer.run { primary in
      let name = try await primary.newDatabase()
      try await PostgresServer.run { dead in
        dead.crash()
        try await primary.withStandby(isSynchronous: false) { standby in
          let orders = [
            [standby, primary], [dead, primary], [primary, standby], [dead, standby, primary],
          ]
          let folder = TemporaryFolder()
          defer { withExtendedLifetime(folder) {} }
          for (number, hosts) in orders.enumerated() {
            let address = PostgresServer.address(of: name, on: hosts, Self.writable)
            let store = try await PostgresStore.open(address, directory: folder.url)
            #expect(try await store.consume([UInt8(number)], until: noon))
            try await store.close()
          }
          // Its own words, whether it is named alone or comes first without the option.
          for hosts in [[standby], [standby, primary]] {
            await #expect {
              try await PostgresStore.open(
                PostgresServer.address(of: name, on: hosts), directory: folder.url
              ).close()
            } throws: { error in
              "\(error)".contains("is a replica") && "\(error)".contains(Self.writable)
            }
          }
          // With the option a standby alone is no server at all.
          await #expect {
            try await PostgresStore.open(
              PostgresServer.address(of: name, on: [standby], Self.writable), directory: folder.url
            ).close()
          } throws: { error in
            "\(error)".contains("takes no writes")
          }
        }
      }
    }
  }

  @Test func `a first host that accepts and says nothing is passed, and comes last from then on`()
    async throws
  {
    let server = try await PostgresServer.shared
    let name = try await server.newDatabase()
    try await withTemporaryFolder { folder in
      let path = folder.path(percentEncoded: false)
      let silent = try listeningSocket("\(path)/.s.PGSQL.5432")
      defer { close(silent) }
      let address = server.address(of: name, behind: path, Self.writable)
      try await withStore(address, limits: PostgresLimits(connections: 4, patience: 2)) { store in
        try await withThrowingTaskGroup(of: Bool.self) { group in
          for number in 0..<8 as Range<UInt8> {
            group.addTask { try await store.consume([number], until: noon) }
          }
          for try await isFirst in group { #expect(isFirst) }
        }
      }
      #expect(connections(waitingAt: silent) == 1)
    }
  }

  @Test func `a primary that is frozen is left for its standby`() async throws {
    try await PostgresServer.run { primary in
      let name = try await primary.newDatabase()
      try await primary.withStandby(isSynchronous: true) { standby in
        let address = PostgresServer.address(of: name, on: [primary, standby], Self.writable)
        let folder = TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let limits = PostgresLimits(patience: 2, statement: 2)
        let store = try await PostgresStore.open(address, directory: folder.url, limits: limits)
        try await store.createUser(.demo)
        try await Requests.go(on: store) {
          try primary.freeze()
          try await standby.promote()
        }
        try await store.close()
        // A server that starts now finds it, too.
        let next = try await PostgresStore.open(address, directory: folder.url, limits: limits)
        #expect(try await next.user(demo) != nil)
        try await next.close()
      }
    }
  }

  @Test
  func `what was acknowledged is there after the primary has died and its synchronous standby was promoted`()
    async throws
  {
    try await PostgresServer.run { primary in
      let name = try await primary.newDatabase()
      try await primary.withStandby(isSynchronous: true) { standby in
        let address = PostgresServer.address(of: name, on: [primary, standby], Self.writable)
        try await withStore(address) { store in
          try await store.createUser(.demo)
          try await store.createSession(.sample(1))
          try await Requests.go(on: store) {
            primary.crash()
            try await standby.promote()
          }
          #expect(try await store.session(tokenHash: SessionRecord.sample(1).tokenHash, now: noon) != nil)
        }
      }
    }
  }
}
