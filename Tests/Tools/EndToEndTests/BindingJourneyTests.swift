import Assembly
import BindingFormats
import CommonFixtures
import DeviceKeys
import Foundation
import JourneyStore
import PingBinding
import PingOrchestrate
import PingStorage
import SealringTesting
import SoftwareTPM
import StrictJSON
import Testing

/// Binding and signing through the published client API against the real server over HTTP.
@Suite struct BindingJourneyTests {
  private static let password = "Correct horse battery 1"

  @Test func `a device binds with a PIN, signs in and signs a payment with claims`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))

      let bound = await device.play(
        "BindDevice", on: server, as: "mira", password: Self.password, person: person)
      #expect(bound.isSuccess && bound.token?.isEmpty == false)
      #expect(person.pinPrompts.count == 1, "binding asks for the PIN once")
      let record = try #require(try await server.devices(of: "mira").first)
      let key = try #require(try await device.userKeys.get()?.first)
      #expect(record.uuid == key.kid)
      #expect(record.createdDate == server.clock.now)

      server.clock.advance(by: 60)
      #expect(await device.play("SignIn", on: server, person: person).isSuccess)
      #expect(try await server.devices(of: "mira").first?.lastAccessDate == server.clock.now)

      let paid = await device.play(
        "SignTransaction", on: server, person: person, text: "Pay 100.00 USD to babs@example.com",
        claims: ["amount": "100.00", "recipient": "babs@example.com", "currency": "USD"])
      #expect(paid.isSuccess)
    }
  }

  @Test func `a wrong PIN is unAuthorize after pinRetry tries, and the right one still works`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let device = TestDevice()
      _ = await device.play(
        "BindDevice", on: server, as: "mira", password: Self.password, person: ScriptedPerson(pin: "271828"))
      let guesser = ScriptedPerson(pins: [
        .enters("111111"), .enters("222222"), .enters("333333"), .enters("271828"),
      ])
      let refused = await device.play("SignIn", on: server, person: guesser)
      #expect(refused.statuses.map(\.clientError) == ["Abort"])
      #expect(refused.statuses.map(\.errorMessage) == ["Invalid Credentials"])
      #expect(refused.refusalStatus == 401)
      #expect(guesser.pinPrompts.count == 3, "three tries by default")
      #expect(await device.play("SignIn", on: server, person: ScriptedPerson(pin: "271828")).isSuccess)
    }
  }

  @Test func `several users of one device choose a key`() async throws {
    try await TestServer.run { server in
      let device = TestDevice()
      for name in ["mira", "noor"] {
        try await server.addUser(name, password: Self.password)
        #expect(
          await device.play(
            "BindDevice", on: server, as: name, password: Self.password, person: ScriptedPerson(pin: "271828")
          )
          .isSuccess)
      }
      let person = ScriptedPerson(pins: [.enters("271828")], picks: .of(username: "mira"))
      let outcome = await device.play("SignIn", on: server, person: person)
      #expect(person.keyOffers.map { Set($0.map(\.username)) } == [["mira", "noor"]])
      #expect(outcome.isSuccess)
      let cancelled = await device.play(
        "SignIn", on: server, person: ScriptedPerson(pins: [.enters("271828")], picks: .cancels))
      #expect(cancelled.statuses.map(\.clientError) == ["Abort"])
    }
  }

  @Test func `binding again replaces the device's key and leaves no orphan`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))
      for _ in 1...2 {
        #expect(
          await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
            .isSuccess)
      }
      #expect(try await device.userKeys.get()?.count == 1)
      #expect(try await device.keyStore.keys().count == 1)
      #expect(await device.play("SignIn", on: server, person: person).isSuccess)
    }
  }

  @Test(arguments: [ScriptedPerson.PINEntry.cancels, .enters("")])
  func `a re-bind that the person gives up leaves the old binding usable`(_ entry: ScriptedPerson.PINEntry)
    async throws
  {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))
      #expect(
        await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
          .isSuccess)
      let again = await device.play(
        "BindDevice", on: server, as: "mira", password: Self.password,
        // The key that there is confirms first.
        person: ScriptedPerson(pins: [.enters("271828"), entry]))
      #expect(!again.isSuccess && again.statuses.count == 1)
      #expect(await device.play("SignIn", on: server, person: person).isSuccess)
      #expect(try await device.keyStore.keys().count == 1)
    }
  }

  @Test func `a signature after the device was deleted on the server is refused`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))
      _ = await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
      let uuid = try #require(try await server.devices(of: "mira").first?.uuid)
      _ = try await server.store.boundDevices.delete(uuid, of: UniversalID(username: "mira", realm: "alpha"))
      let outcome = await device.play("SignIn", on: server, person: person)
      #expect(outcome.refusalStatus == 401 && outcome.refusalMessage == "Login failure")
    }
  }

  @Test func `a device without keys answers clientNotRegistered`() async throws {
    try await TestServer.run { server in
      let outcome = await TestDevice().play("SignIn", on: server)
      #expect(outcome.statuses.map(\.clientError) == ["ClientNotRegistered"])
      #expect(outcome.refusalStatus == 401)
    }
  }

  @Test func `an answer after the deadline is refused, and the log says so`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))
      _ = await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
      let outcome = await device.play("SignIn", on: server, person: person) { _ in
        server.clock.advance(by: 200)
      }
      #expect(outcome.refusalStatus == 401)
      #expect(server.log.contains("the answer came after the timeout"))
    }
  }

  @Test(arguments: ["BindDevice", "SignIn"])
  func `a person who never answers runs into the time limit, and nothing is left behind`(_ journey: String)
    async throws
  {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))
      _ = await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
      let outcome = await device.play(
        journey, on: server, as: "mira", password: Self.password, person: ScriptedPerson(pins: [.stalls]),
        timeout: 1)
      #expect(outcome.statuses.map(\.clientError) == ["Timeout"])
      #expect(outcome.refusalStatus == 401)
      let keys = try await device.keyStore.keys()
      #expect(keys.count == 1)
      #expect(await device.play("SignIn", on: server, person: person).isSuccess)
    }
  }

  @Test func `a person who answers twice does no harm`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pins: [.entersTwice("271828")]))
      #expect(
        await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
          .isSuccess)
      #expect(await device.play("SignIn", on: server, person: person).isSuccess)
    }
  }

  @Test func `a binding that the server refuses leaves the old one usable and no orphan`() async throws {
    try await TestServer.run { server in
      try await server.addUser("mira", password: Self.password)
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "271828"))
      _ = await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
      let refused = await device.play(
        "BindDevice", on: server, as: "mira", password: Self.password, person: person
      ) { ($0 as? DeviceBindingCallback)?.setJws("not what was signed") }
      #expect(refused.refusalStatus == 401 && refused.statuses.isEmpty)
      let keys = try await device.keyStore.keys()
      #expect(keys.count == 1)
      #expect(await device.play("SignIn", on: server, person: person).isSuccess)
    }
  }

  @Test func `users, devices and sessions survive a restart on SQLite`() async throws {
    try await withTemporaryFolder { folder in
      let (device, person, clock) = (TestDevice(), ScriptedPerson(pin: "271828"), TestClock())
      // Keys belong to an address, and nobody else may get its port meanwhile.
      let ports = try PortPair()
      defer { ports.release() }
      let port = Int(ports.first)
      try await TestServer.run(storage: .sqlite(folder), clock: clock, configure: { $0.port = port }) {
        server in
        try await server.addUser("mira", password: Self.password)
        #expect(
          await device.play("BindDevice", on: server, as: "mira", password: Self.password, person: person)
            .isSuccess)
      }
      try await TestServer.run(storage: .sqlite(folder), clock: clock, configure: { $0.port = port }) {
        server in
        let devices = try await server.devices(of: "mira")
        #expect(devices.count == 1)
        #expect(await device.play("SignIn", on: server, person: person).isSuccess)
      }
    }
  }
}
