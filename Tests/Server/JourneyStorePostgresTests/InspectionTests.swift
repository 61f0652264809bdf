import Foundation
import Testing

@testable import JourneyStorePostgres

/// What the doctor says of facts that a test's own cluster does not have. `EndToEndTests` has the rest, with real ones.
@Suite("Inspecting a PostgreSQL") struct InspectionTests {
  @Test(arguments: [
    ("postgres://db/x", "", PostgresInspection.Finding.State.warning),
    ("postgres://db/x?sslmode=require", "", .warning),
    ("postgres://db/x?sslmode=verify-ca", "verify-full", .warning),
    ("postgres://db/x?connect_timeout=2&sslmode=verify-full", "", .ok),
    ("host=db sslmode='verify-full' dbname=x", "", .ok),
    ("postgres://db/x", "verify-full", .ok),
    // The last one counts, as for libpq.
    ("postgres://db/x?sslmode=verify-full&sslmode=require", "", .warning),
  ])
  func `encryption without a checked certificate is a warning`(
    address: String, variable: String, state: PostgresInspection.Finding.State
  ) {
    let finding = PostgresInspection.tls(
      address, usesTLS: true, isLocal: false, variable.isEmpty ? [:] : ["PGSSLMODE": variable])
    #expect(finding.state == state)
    #expect(finding.text == (state == .ok ? "checks.databaseTLSChecked" : "checks.databaseTLSUnchecked"))
  }

  @Test func `no encryption is a failure, unless nothing leaves the machine`() {
    let remote = PostgresInspection.tls("postgres://db/x?sslmode=prefer", usesTLS: false, isLocal: false, [:])
    #expect(remote.state == .failed && remote.text == "checks.databaseTLSOff")
    #expect(PostgresInspection.tls("postgres:///x", usesTLS: false, isLocal: true, [:]).state == .ok)
  }

  @Test(arguments: [
    (0.0, "ok"), (1.9, "ok"), (-1.9, "ok"), (2.5, "warning"), (-59, "warning"), (61, "failed"),
    (-3600, "failed"),
  ])
  func `a clock that differs is told by how much it matters`(difference: TimeInterval, state: String) {
    let finding = PostgresInspection.clock(difference)
    #expect("\(finding.state)" == state)
    if state != "ok" {
      #expect(finding.text == "checks.databaseClock\(difference > 0 ? "Ahead" : "Behind")")
      #expect(finding.values == ["seconds": String(Int(abs(difference).rounded()))])
    }
  }
}
