import Foundation
import Testing

@testable import JourneyStorePostgres

@Suite("The hosts of an address of PostgreSQL") struct AddressTests {
  @Test(arguments: [
    "postgres://u:p@db1:5433,db2:5434/sealring?target_session_attrs=read-write",
    "host=db1,db2 port=5433,5434 user=u password=p dbname=sealring",
  ])
  func `each is tried by itself and gets its part of the time`(text: String) throws {
    let (address, pq) = (PostgresAddress(text), try LibPQ())
    let attempts = address.attempts(within: 10, pq)
    #expect(attempts.map(\.options) == [["host": "db1", "port": "5433"], ["host": "db2", "port": "5434"]])
    #expect(attempts.map(\.patience) == [5, 5])
  }

  @Test func `one that does not answer comes last, until another one does not`() throws {
    let (address, pq) = (PostgresAddress("host=a,b,c"), try LibPQ())
    func order() -> [Int] { address.attempts(within: 10, pq).map(\.host) }
    #expect(order() == [0, 1, 2])
    address.turn(from: 0)
    #expect(order() == [1, 2, 0])
    // Others that waited for the same one do not turn it further.
    address.turn(from: 0)
    #expect(order() == [1, 2, 0])
    address.turn(from: 1)
    #expect(order() == [2, 0, 1])
    address.turn(from: 2)
    #expect(order() == [0, 1, 2])
  }

  @Test func `the address can say how long each host is waited for`() throws {
    let pq = try LibPQ()
    #expect(PostgresAddress("host=a,b connect_timeout=3").attempts(within: 10, pq).map(\.patience) == [3, 3])
    #expect(PostgresAddress("host=a connect_timeout=1").attempts(within: 10, pq).map(\.patience) == [2])
    #expect(PostgresAddress("host=a,b connect_timeout=0").attempts(within: 10, pq).map(\.patience) == [5, 5])
  }

  @Test(arguments: [
    ["host": "a"], [:], ["host": "a,b", "hostaddr": "127.0.0.1"], ["host": "a,"],
    ["host": "a,b", "port": "1,2,3"],
    ["hostaddr": ","],
  ])
  func `what has one host, or does not go together, is left to libpq`(options: [String: String]) {
    #expect(PostgresAddress.Hosts(options).each == [[:]])
  }

  @Test func `addresses, one port for all, and libpq's ways to choose`() {
    let numbered = PostgresAddress.Hosts(["hostaddr": "10.0.0.1,10.0.0.2", "port": "6000"])
    #expect(numbered.each == [["hostaddr": "10.0.0.1"], ["hostaddr": "10.0.0.2"]])
    let both = PostgresAddress.Hosts(["host": "a,b", "hostaddr": "10.0.0.1,10.0.0.2", "port": "6000,"])
    #expect(both.each.last == ["host": "b", "hostaddr": "10.0.0.2", "port": "5432"])
    #expect(PostgresAddress.Hosts(["host": "a,b", "load_balance_hosts": "random"]).isShuffled)
    #expect(
      PostgresAddress.Hosts(["host": "a,b", "target_session_attrs": "prefer-standby"]).roles == [
        "standby", "any",
      ])
  }
}
