import PushServiceFixtures
import StrictJSON
import Testing

@testable import Operations

@Suite("Push through push services, from journey to answer", .timeLimit(.minutes(2)))
struct PushServiceJourneyTests {
  @Test func `Apple gets the body that client SDKs read, and the device's answer to it signs in`()
    async throws
  {
    try await PushServices.run { services in
      let phone = try await services.enrolled(.apns)
      let step = try await services.server.signedIn("PushSignIn")
      let request = try #require(await services.apple.requests(atLeast: 1).first)
      #expect(request.path == "/3/device/\(PushServices.appleToken.lowercased())")
      #expect(request.header("apns-topic") == "com.example.signer")
      let (jws, id) = try services.content(request, .apns)
      #expect(
        String(decoding: request.body, as: UTF8.self)
          == #"{"aps":{"alert":"Login attempt from ada at Sealring","sound":"default","category":"authentication","interruption-level":"time-sensitive","messageId":"\#(id)","data":"\#(jws)","content-available":1,"mutable-content":1}}"#
      )
      let message = try phone.open(jws, id: id)
      #expect(id.hasPrefix("AUTHENTICATE:") && message.claims["u"] == .string(phone.mechanismUID))
      #expect(message.claims["d"] == "ada" && message.claims["k"] == "default")
      #expect(try await phone.pollAnswer(services.server)["messages"]?[0]?["message"] == .string(jws))
      #expect(try await phone.answer(message, at: services.server).status == 200)
      #expect(try await services.server.wait(step)["tokenId"] != nil)
      #expect(services.browsers.requests.isEmpty)
    }
  }

  @Test func `a browser's push service gets what the device alone can read, and its answer signs in`()
    async throws
  {
    try await PushServices.run { services in
      let phone = try await services.enrolled(.webpush)
      let step = try await services.server.signedIn("PushSignIn")
      let request = try #require(await services.browsers.requests(atLeast: 1).first)
      #expect(request.path == "/push/ada")
      #expect(request.header("ttl") == "120" && request.header("content-encoding") == "aes128gcm")
      let (jws, id) = try services.content(request, .webpush)
      #expect(
        try JSONValue(parsing: services.subscriber.open(request.body))
          == ["messageId": .string(id), "message": .string(jws)])
      #expect(throws: (any Error).self) { try Subscriber().open(request.body) }
      let message = try phone.open(jws, id: id)
      #expect(message.claims["u"] == .string(phone.mechanismUID))
      #expect(try await phone.answer(message, at: services.server).status == 200)
      #expect(try await services.server.wait(step)["tokenId"] != nil)
      #expect(services.apple.requests.isEmpty)
    }
  }

  @Test
  func `each user's message goes the way of the user's device, and a denial through it ends the sign-in`()
    async throws
  {
    try await PushServices.run { services in
      let ways: [(PushWay, String)] = [(.apns, "ada"), (.webpush, "bob")]
      for (way, name) in ways {
        let phone = try await services.enrolled(way, as: name)
        let step = try await services.server.signedIn("PushSignIn", as: name)
        let request = try #require(await services.service(way).requests(atLeast: 1).first)
        let (jws, id) = try services.content(request, way)
        let message = try phone.open(jws, id: id)
        #expect(message.claims["d"] == .string(name))
        #expect(try await phone.answer(message, at: services.server, ["deny": true]).status == 200)
        #expect(try await services.server.wait(step).status == 401)
      }
      #expect(services.apple.requests.count == 1 && services.browsers.requests.count == 1)
    }
  }

  @Test(arguments: PushWay.allCases)
  func `a dead token leaves the sign-in to polling, and nothing is sent until the device tells a new one`(
    way: PushWay
  ) async throws {
    let dead = Reply(status: 410, body: #"{"reason":"Unregistered"}"#)
    try await PushServices.run(answer: { _ in dead }) { services in
      let server = services.server
      let administrator = try await server.signInAdministrator()
      let phone = try await services.enrolled(way)
      for count in 0...1 {
        let step = try await server.signedIn("PushSignIn")
        _ = await services.service(way).requests(atLeast: 1)
        let counts = try await services.settled(way, administrator: administrator)
        #expect(counts["retired"] == 1 && counts["failed"] == 1 && counts["retried"] == 0)
        #expect(counts["sent"] == 0 && counts["skipped"] == .integer(Int64(count)))
        let message = try #require(try await phone.poll(server).first)
        #expect(try await phone.answer(message, at: server).status == 200)
        #expect(try await server.wait(step)["tokenId"] != nil)
      }
      #expect(services.service(way).requests.count == 1)
      let told = try await phone.refresh(
        ["communicationType": .string(way.rawValue), "deviceId": .string(services.token(way))], at: server)
      #expect(told.status == 200)
      _ = try await server.signedIn("PushSignIn")
      #expect(await services.service(way).requests(atLeast: 2).count == 2)
    }
  }

  /// What a push service does that does not work.
  enum Fault: CaseIterable, Sendable {
    case silent, unavailable, dropping
  }

  @Test(arguments: PushWay.allCases, Fault.allCases)
  func `a push service that does not work holds up no journey`(way: PushWay, fault: Fault) async throws {
    let over = Gate()
    let answer: TestPushService.Answer = { _ in
      switch fault {
      case .silent:
        await over.wait()
        return .ok
      case .unavailable: return Reply(status: 503)
      case .dropping: return nil
      }
    }
    try await PushServices.run(answer: answer) { services in
      defer { over.open() }
      let server = services.server
      let administrator = try await server.signInAdministrator()
      let phone = try await services.enrolled(way)
      // Comes while the service has not answered, or only badly, and the message is still to be sent.
      let began = ContinuousClock.now
      let step = try await server.signedIn("PushSignIn")
      // A service that says nothing is given up after 10 s, and then asked again.
      #expect(began.duration(to: .now) < .seconds(8))
      #expect(step["authId"] != nil && !step.asksForRecoveryCode)
      _ = await services.service(way).requests(atLeast: 1)
      let counts = try await services.counts(way, administrator: administrator)
      #expect(counts?["queued"] == 1 && counts?["sent"] == 0 && counts?["failed"] == 0)
      let message = try #require(try await phone.poll(server).first)
      #expect(try await phone.answer(message, at: server).status == 200)
      #expect(try await server.wait(step)["tokenId"] != nil)
    }
  }
}
