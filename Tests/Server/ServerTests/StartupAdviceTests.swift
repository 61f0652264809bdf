import Accounts
import Concurrency
import Foundation
import HummingbirdTesting
import JourneyNodes
import Testing

@testable import Assembly
@testable import JourneyFiles
@testable import Operations
@testable import ServerHTTP

@Suite("What a start says of weak points") struct StartupAdviceTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// What each line has, in order; as many as there are.
    let said: [String]
    let configure: @Sendable (inout ServerConfiguration) throws -> Void

    init(
      _ description: String, _ said: [String],
      _ configure: @escaping @Sendable (inout ServerConfiguration) throws -> Void
    ) {
      testDescription = description
      self.said = said
      self.configure = configure
    }
  }

  /// A public server with nothing to be said of.
  private static func sound(_ configuration: inout ServerConfiguration) throws {
    configuration.publicURL = "https://id.example.com/am"
    configuration.trustedProxies = [try AddressBlock("127.0.0.1/32")]
    configuration.bundledJourneys = try BundledJourneys(options: ["login"])
    configuration.factorChanges = FactorChangePolicy(standard: .strong)
  }

  static let cases = [
    Case("a fresh server on loopback", []) { _ in },
    Case("loopback by name", []) { $0.host = "localhost" },
    Case("a public URL of this machine", []) { $0.publicURL = "http://localhost:8080/am" },
    Case("a public server by https, with chosen journeys", [], sound),
    Case("a public URL without https", ["plain HTTP (--public-url)"]) {
      try sound(&$0)
      $0.publicURL = "http://id.example.com/am"
    },
    Case("other machines, and no public URL", ["--trusted-proxy", "--public-url", "--factor-changes"]) {
      $0.host = "0.0.0.0"
    },
    Case("a public URL by https that nobody speaks", ["--trusted-proxy"]) {
      try sound(&$0)
      $0.trustedProxies = []
    },
    Case("a public URL without the path of the pages", ["begin with /am"]) {
      try sound(&$0)
      $0.publicURL = "https://id.example.com"
    },
    Case(
      "the default journeys on a public URL",
      ["--trusted-proxy", "--factor-changes", "--bundled-journeys", "--tpm-roots"]
    ) {
      $0.publicURL = "https://id.example.com/am"
    },
    Case("a public server where any session changes factors", ["--factor-changes"]) {
      try sound(&$0)
      $0.factorChanges = FactorChangePolicy(standard: .any)
    },
    Case("TLS on other machines' addresses, and no public URL", ["--public-url"]) {
      $0.host = "0.0.0.0"
      $0.factorChanges = FactorChangePolicy(standard: .fresh)
      $0.tls = TLSFiles(
        certificate: URL(filePath: "chain.pem"), key: URL(filePath: "key.pem"))
    },
    Case("keys without a PIN on a public URL", ["BindDeviceNoPin"]) {
      try sound(&$0)
      $0.bundledJourneys = try BundledJourneys(options: ["login,BindDeviceNoPin"])
    },
    Case("a service that is simulated, on this machine, too", ["PingOne Protect (low)"]) {
      $0.simulation = try ServiceSimulation(["protect=low"])
    },
    Case("an attested journey without roots on a public URL", ["--tpm-roots"]) {
      try sound(&$0)
      $0.bundledJourneys = try BundledJourneys(options: ["login,BindDeviceAttested"])
    },
  ]

  @Test(arguments: cases)
  func `each weak point is said once, with what to do, and nothing else`(example: Case) throws {
    var configuration = LocalServer.configuration()
    try example.configure(&configuration)
    let isPublic = StartupAdvice.isPublic(configuration)
    let names = configuration.realms.flatMap { realm in
      JourneyLoading.bundledNames.filter {
        configuration.bundledJourneys.offers($0, realm: realm, isPublic: isPublic)
      }
    }
    let lines = StartupAdvice(configuration: configuration, journeyNames: Set(names)).phrases.map(\.english)
    #expect(lines.count == example.said.count, "\(lines)")
    for (line, part) in zip(lines, example.said) { #expect(line.contains(part)) }
  }

  @Test func `a fresh start logs nothing that needs looking at`() async throws {
    try await LocalServer.run(.router, { $0.journeysDirectory = nil }) { server in
      let loud = server.log.withLock { $0 }.filter { line in
        ["notice", "warning", "error", "critical"].contains { line.hasPrefix($0) }
      }
      #expect(loud.isEmpty)
      #expect(server.server.advice.isEmpty)
    }
  }
}
