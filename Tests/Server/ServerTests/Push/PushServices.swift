import CommonFixtures
import Crypto
import HTTPTypes
import PushServiceFixtures
import PushTransports
import StrictJSON
import Testing

@testable import Assembly

/// How a server reaches a device that does not listen.
enum PushWay: String, CaseIterable, Sendable {
  case apns, webpush
}

/// A server between Apple's push service and a browser's, both stand-ins on this machine.
struct PushServices: Sendable {
  let server: LocalServer
  let apple: TestPushService
  let browsers: TestPushService
  let subscriber = Subscriber()

  static let appleToken = String(repeating: "A1b2", count: 16)

  /// Runs `body`; both services answer as `answer` says, Apple's in both of its environments.
  static func run(
    answer: @escaping TestPushService.Answer = { _ in .ok },
    body: @Sendable (PushServices) async throws -> Void
  ) async throws {
    let certificates = try TestCertificates()
    let key = P256.Signing.PrivateKey()
    let apns = try APNsConfiguration(
      key: key, keyID: "KEY1234567", teamID: "TEAM123456", topic: "com.example.signer")
    var webPush = try WebPushConfiguration(key: key, contact: "mailto:operator@example.com")
    webPush.allowsLoopbackHTTP = true
    try await TestPushService.run(tls: certificates, answer: answer) { [webPush] apple in
      try await TestPushService.run(tls: nil, answer: answer) { browsers in
        try await LocalServer.runPush({
          let host = "https://localhost:\(apple.port)"
          $0.push.apns = apns
          $0.push.apnsAddress = .init(
            hosts: [.production: host, .sandbox: host], trust: certificates.trust)
          $0.push.webPush = webPush
        }) { server in
          try await body(PushServices(server: server, apple: apple, browsers: browsers))
        }
      }
    }
  }

  func service(_ way: PushWay) -> TestPushService { way == .apns ? apple : browsers }

  func token(_ way: PushWay) -> String {
    way == .apns ? Self.appleToken : subscriber.token("http://127.0.0.1:\(browsers.port)/push/ada")
  }

  /// A device that registered by the bundled journey.
  func enrolled(_ way: PushWay, as name: String = "ada") async throws -> PushPhone {
    let token = token(way)
    return try await server.enrolled(name) { claims in
      claims["communicationType"] = .string(way.rawValue)
      claims["deviceId"] = .string(token)
    }
  }

  /// The JWS and the id that a service was given for the device.
  func content(_ request: SeenRequest, _ way: PushWay) throws -> (message: String, id: String) {
    let json = try JSONValue(parsing: way == .apns ? request.body : subscriber.open(request.body))
    let (object, name) = way == .apns ? (json["aps"], "data") : (json, "message")
    return (
      try #require(object?[name]?.stringValue), try #require(object?["messageId"]?.stringValue)
    )
  }

  /// The counters, once nothing is in the queue.
  func settled(_ way: PushWay, administrator: String) async throws -> JSONValue {
    var settled: JSONValue?
    try await eventually("the queue of \(way) is empty") {
      let counts = try #require(try await counts(way, administrator: administrator))
      settled = counts
      return counts["queued"] == 0
    }
    return try #require(settled)
  }

  func counts(_ way: PushWay, administrator: String) async throws -> JSONValue? {
    try await server.call(.get, "/am/json/push/delivery", token: administrator)[way.rawValue]
  }
}
