import Foundation
import Payments
import SealringTesting
import Testing

@Test func `a payment is signed by this device, and a forged one is refused`() async throws {
  try await TestServer.run { server in
    try await server.addUser("mira", password: "correct horse")
    let (device, person) = (TestDevice(), ScriptedPerson(pin: "471108"))
    let app = payments(on: device, person, server)
    try await app.bind("mira", password: "correct horse")
    try await app.sign("Pay 12.50 EUR to Babs")

    // A program in between shows the same device another payee, and the person does not notice.
    let attacked = TestDevice(keyStore: device.keyStore, userKeys: device.userKeys) {
      Data(String(decoding: $0, as: UTF8.self).replacing("Babs", with: "Eve").utf8)
    }
    let forged = payments(on: attacked, person, server)
    await #expect(throws: Payments.Failure.self) { try await forged.sign("Pay 12.50 EUR to Babs") }
    #expect(person.texts == ["Pay 12.50 EUR to Babs", "Pay 12.50 EUR to Eve"])
  }
}

/// The app on a device, with the person in front of it.
private func payments(on device: TestDevice, _ person: ScriptedPerson, _ server: TestServer) -> Payments {
  Payments(journey: { device.journey(on: server) }) {
    device.configure($0, person: person, clock: server.clock)
  }
}
