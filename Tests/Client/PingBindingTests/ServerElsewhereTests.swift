import Assembly
import Foundation
import PingDeviceClient
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import SealringTesting
import Testing

/// The published modules at a server whose session cookie has another name, that stands at another path, in a realm below a realm.
@Suite struct ServerElsewhereTests {
  @Test func `a device binds and signs there, and lists itself with the session, which it ends`() async throws
  {
    try await TestServer.run(configure: {
      $0.basePath = "/sso/openam"
      $0.cookieName = "8f2c3b1d9e0a7f6"
      $0.realms = ["root", "alpha", "alpha/branch"]
    }) { server in
      for realm in ["alpha", "alpha/branch"] {
        try await server.addUser("mira", password: "correct horse", realm: realm)
      }
      let (device, person) = (TestDevice(), ScriptedPerson(pin: "471108"))
      let bound = await device.play(
        "BindDevice", on: server, realm: "alpha/branch", as: "mira", password: "correct horse", person: person
      )
      #expect(bound.isSuccess, "\(bound)")
      let signed = await device.play(
        "SignIn", on: server, realm: "/alpha/branch", as: "mira", person: ScriptedPerson(pin: "471108"))
      #expect(signed.isSuccess, "\(signed)")
      // The key is no key of the same name in the realm around it.
      let elsewhere = await device.play(
        "SignIn", on: server, realm: "alpha", as: "mira", person: ScriptedPerson(pin: "471108"))
      #expect(!elsewhere.isSuccess)
      #expect(try await server.devices(of: "mira", realm: "alpha").isEmpty)

      let journey = device.journey(on: server, realm: "alpha/branch")
      let step = try #require(await journey.start("Login") as? ContinueNode)
      for callback in step.callbacks {
        (callback as? NameCallback)?.name = "mira"
        (callback as? PasswordCallback)?.password = "correct horse"
      }
      let success = try #require(await step.next() as? SuccessNode)
      let client = DeviceClient(
        config: DeviceClientConfig(
          serverUrl: server.address, realm: "/alpha/branch", cookieName: server.cookieName,
          ssoToken: success.session.value))
      #expect(try await client.bound.get().get().count == 1)
      // Its own session stands for a second sign-in.
      #expect(await journey.start("Login") is SuccessNode)
      try await journey.signOff().get()
      #expect(await journey.session() == nil)
      await #expect(throws: DeviceError.self) { try await client.bound.get().get() }
    }
  }
}
