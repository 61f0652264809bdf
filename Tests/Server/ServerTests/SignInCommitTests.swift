import BindingFormats
import CommonFixtures
import Foundation
import HTTPTypes
import JourneyStore
import ProofFixtures
import StrictJSON
import Testing

/// What the bundled journey stores when a device signs in.
@Suite("Commits of a sign-in") struct SignInCommitTests {
  @Test func `a sign-in by bound key is one commit, and a repeated answer makes no session`() async throws {
    try await LocalServer.run { server in
      let device = ProofDevice()
      let now = server.clock.now
      let record = BoundDeviceRecord(
        uuid: device.keyID, realm: "alpha", username: "ada", deviceID: "d", deviceName: "Phone",
        key: device.jwk, thumbprint: try Thumbprint.of(device.jwk), createdDate: now, lastAccessDate: now)
      #expect(try await server.store.addBoundDevice(record, limit: 0) == .added)
      let subject = UniversalID(username: "ada", realm: "alpha").text
      var counts: [Int] = []
      for _ in 1...3 {
        let step = try await server.start("SignIn")
        var callback = try #require(step["callbacks"]?[0]?.objectValue)
        let outputs = try #require(callback["output"]?.arrayValue)
        let challenge = try #require(
          outputs.first { $0["name"] == "challenge" }?["value"]?.stringValue)
        let jws = try device.proof(
          subject: subject, challenge: challenge, now: server.clock.now, binds: false
        ) {
          $0.claims["iss"] = "com.sealring.cli"
        }
        callback["input"] = [
          ["name": "IDToken1jws", "value": .string(jws)], ["name": "IDToken1clientError", "value": ""],
        ]
        let body: JSONValue = ["authId": step["authId"] ?? .null, "callbacks": [.object(callback)]]
        let before = server.store.load.waits
        let answer = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
        #expect(answer["tokenId"] != nil, "\(answer.json)")
        counts.append(server.store.load.waits - before)
        let again = try await server.call(.post, "\(LocalServer.alpha)/authenticate", body: body)
        #expect(again["tokenId"] == nil)
      }
      // The fewest: the server looks after other things meanwhile.
      #expect(counts.min() == 1, "\(counts)")
    }
  }
}
