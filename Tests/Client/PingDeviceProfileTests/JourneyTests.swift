import CommonFixtures
import Foundation
import PingJourney
import PingJourneyPlugin
import PingLogger
import PingOrchestrate
import PingStorage
import SealringTesting
import Testing

@testable import PingDeviceProfile

@Suite("A device profile in a journey")
struct JourneyTests {
  private let folder = TemporaryFolder()

  /// A journey that asks for the profile, with these properties, and lets everybody in who answers.
  private func journeys(_ properties: String) throws -> URL {
    let file = folder.url.appendingPathComponent("journeys/alpha/Profile.journey.json")
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    let journey = """
      {"meta": {}, "nodes": {
        "n1": {"_id": "n1", "_type": {"_id": "UsernameCollectorNode"}},
        "n2": {"_id": "n2", "_type": {"_id": "PasswordCollectorNode"}},
        "n3": {"_id": "n3", "_type": {"_id": "DataStoreDecisionNode"}},
        "n4": {"_id": "n4", "_type": {"_id": "DeviceProfileCollectorNode"}, \(properties)}},
       "innerNodes": {}, "scripts": {},
       "tree": {"_id": "Profile", "entryNodeId": "n1", "nodes": {
        "n1": {"nodeType": "UsernameCollectorNode", "displayName": "1", "connections": {"outcome": "n2"}},
        "n2": {"nodeType": "PasswordCollectorNode", "displayName": "2", "connections": {"outcome": "n3"}},
        "n3": {"nodeType": "DataStoreDecisionNode", "displayName": "3", "connections": {
          "true": "n4", "false": "e301438c-0bd0-429c-ab0c-66126501069a"}},
        "n4": {"nodeType": "DeviceProfileCollectorNode", "displayName": "4", "connections": {
          "outcome": "70e691a5-1e33-4ac3-a356-e7b6d60d92e0"}}}}}
      """
    try Data(journey.utf8).write(to: file)
    return folder.url.appendingPathComponent("journeys")
  }

  /// Plays the journey on a real server; whether it let the person in, and what it logged.
  private func play(
    _ properties: String, _ configure: @escaping @Sendable (DeviceProfileConfig) -> Void
  ) async throws -> (isSuccess: Bool, log: CapturedLog) {
    try await TestServer.run(journeys: try journeys(properties)) { server in
      try await server.addUser("mira", password: "correct horse")
      var node = await TestDevice().journey(on: server).start("Profile")
      var steps = 0
      while let step = node as? ContinueNode, steps < 8 {
        steps += 1
        for callback in step.callbacks {
          switch callback {
          case let callback as NameCallback: callback.name = "mira"
          case let callback as PasswordCallback: callback.password = "correct horse"
          case let callback as DeviceProfileCallback:
            _ = await callback.collect { config in
              config.logger = LogManager.none
              config.deviceIdentifier = FixedIdentifier()
              configure(config)
            }
          default: Issue.record("unexpected \(callback)")
          }
        }
        node = await step.next()
      }
      return (node is SuccessNode, server.log)
    }
  }

  @Test
  func `a journey that was never told of the module knows its callback, and the server takes the profile`()
    async throws
  {
    let (isSuccess, log) = try await play(#""deviceMetadata": true"#) { _ in }
    #expect(isSuccess && !log.contains("the client sent no"))
  }

  @Test func `the location goes to the server when the person agrees, and the journey goes on when not`()
    async throws
  {
    for agrees in [true, false] {
      let (isSuccess, log) = try await play(#""deviceMetadata": false, "deviceLocation": true"#) { config in
        config.collectors { [LocationCollector(provider: Place(), consent: Person(agrees: agrees))] }
      }
      #expect(isSuccess)
      #expect(log.contains("the client sent no location") == !agrees)
    }
  }

  @Test func `a profile beyond the node's limit ends the journey, and the log says why`() async throws {
    let (isSuccess, log) = try await play(#""maximumSize": "1""#) { config in
      config.collectors { [Saying("mine") { String(repeating: "x", count: 1024) }] }
    }
    #expect(!isSuccess && log.contains("more than 1024"))
  }
}
