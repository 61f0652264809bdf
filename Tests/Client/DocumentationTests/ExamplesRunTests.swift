import DeviceKeys
import Foundation
import PingBinding
import PingJourney
import PingOrchestrate
import SealringTesting
import SigningTransactions
import Testing

/// What the articles say that their examples do, against a server.
@Suite struct ExamplesRunTests {
  private static func bound(
    _ body: @escaping @Sendable (TestServer, TestDevice, ScriptedPerson) async throws -> Void
  ) async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: "Palisade-19")
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "471108"))
      let node = await play(
        "BindDevice", on: device.journey(on: server), username: "mira", password: "Palisade-19"
      ) { device.configure($0, person: person, clock: server.clock) }
      try #require(node is SuccessNode)
      try await body(server, device, person)
    }
  }

  @Test func `the example from beginning to end binds and signs in`() async throws {
    try await Self.bound { server, device, person in
      let node = await play("SignIn", on: device.journey(on: server)) {
        device.configure($0, person: person, clock: server.clock)
      }
      #expect((node as? SuccessNode)?.session.value.isEmpty == false)
    }
  }

  @Test(arguments: [true, false])
  func `a transaction is approved by who was shown its lines and agreed`(agrees: Bool) async throws {
    try await Self.bound { server, device, person in
      let shop = try await server.addApplication("Web shop")
      let id = try await shop.create(
        Transaction(amount: "12.50", currency: "EUR", payee: "Babs"), for: "mira")
      let isApproved = await approve(id, on: device.journey(on: server)) { lines in
        #expect(lines == ["Amount: 12.50 EUR", "Payee: Babs"])
        return agrees
      } configure: {
        device.configure($0, person: person, clock: server.clock)
      }
      #expect(isApproved == agrees)
    }
  }

  @Test func `four digits will do where the app allows them, if they are not those of everybody`()
    async throws
  {
    try await TestServer.run { server in
      try await server.addUser("mira", password: "Palisade-19")
      let device = TestDevice()
      let person = ScriptedPerson(pins: ["1234", "4719", "4719"].map { .enters($0) })
      let node = await play(
        "BindDevice", on: device.journey(on: server), username: "mira", password: "Palisade-19"
      ) { config in
        device.configure(config, person: person, clock: server.clock)
        askForFourDigits(config)
      }
      #expect(node is SuccessNode)
      #expect(person.pinPrompts.map { $0.problem != nil } == [false, true, false])
      #expect(person.pinPrompts.map(\.title) == ["Till PIN", "Till PIN", "Till PIN"])
    }
  }

  @Test func `the message after a wrong PIN too many says how long to wait`() {
    let failed = Result<[String: Any], any Error>.failure(DeviceBindingStatus.unAuthorize)
    let locked = DeviceKeyError.lockedOut(tag: "till", retryAfter: 14.2)
    #expect(message(after: failed, failure: locked) == "Too many wrong PINs. Try again in 15 seconds.")
    #expect(message(after: failed, failure: nil) == "That was not right.")
    #expect(message(after: .failure(DeviceBindingStatus.abort), failure: nil) == nil)
  }

  @Test func `the newest key is taken for a user who has several`() async throws {
    let keys = [2, 1].map { day in
      UserKey(
        keyTag: "tag.\(day)", userId: "id=mira", username: "mira", kid: "kid.\(day)", authType: .none,
        createdAt: Date(timeIntervalSince1970: Double(day) * 86_400))
    }
    let prompt = Prompt(title: "", subtitle: "", description: "")
    #expect(await NewestKey().selectKey(userKeys: keys, prompt: prompt) == keys[0])
  }
}
