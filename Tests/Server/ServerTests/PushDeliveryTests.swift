import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JourneyStore
import PushTransports
import StrictJSON
import Testing

@testable import Assembly

@Suite("Counters of push delivery") struct PushDeliveryTests {
  private static let path = "/am/json/push/delivery"

  @Test func `administrators of the root realm read what was sent, and nobody else`() async throws {
    let key = P256.Signing.PrivateKey()
    let webPush = try WebPushConfiguration(key: key, contact: "mailto:operator@example.com")
    let apns = try APNsConfiguration(
      key: key, keyID: "KEY1234567", teamID: "TEAM123456", topic: "com.example.signer")
    try await LocalServer.run(
      .router,
      {
        $0.push.webPush = webPush
        $0.push.apns = apns
      }
    ) { server in
      let token = try await server.signInAdministrator()
      let answer = try await server.call(.get, Self.path, token: token)
      #expect(answer.status == 200)
      let zero: JSONObject = [
        "queued": 0, "sent": 0, "retried": 0, "retired": 0, "failed": 0, "skipped": 0,
      ]
      #expect(answer["apns"] == .object(zero))
      #expect(answer["webpush"]?["sent"] == 0)
      #expect(answer["webpush"]?["applicationServerKey"] == .string(webPush.applicationServerKey))
      #expect(try await server.call(.get, Self.path).status == 401)
      let ada = try await server.signIn("ada")
      #expect(try await server.call(.get, Self.path, token: ada).status == 403)
      #expect(try await server.call(.post, Self.path, token: token, body: [:]).status == 405)
    }
  }

  @Test func `a server without push services has no counters`() async throws {
    try await LocalServer.run { server in
      let token = try await server.signInAdministrator()
      #expect(try await server.call(.get, Self.path, token: token).json == [:])
    }
  }
}
