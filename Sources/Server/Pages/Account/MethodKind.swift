internal import BindingFormats
internal import JourneyStore
internal import PageTemplates
internal import PushService
internal import ServerHTTP

/// A kind of ``AccountMethod``: how the pages call it, and what they can do with it.
struct MethodKind: Sendable {
  /// The segment of its addresses.
  let path: String

  /// The keys of its texts: one method, and the button that adds one.
  let title: String
  let adding: String

  /// The bundled journey that adds one.
  let journey: String

  let devices: any DeviceKind

  var isKey: Bool { type(of: devices).isKey }

  func all(of account: UniversalID) async throws -> [AccountMethod] {
    let all: [any DeviceRecord] = try await devices.all(of: account)
    return all.compactMap { AccountMethod(ofAny: $0) }
  }

  /// All kinds, the strongest first.
  static func all(_ store: any ServerStore, direct: PollWaiters) -> [MethodKind] {
    [
      MethodKind(
        path: "passkey", title: "methods.passkey", adding: "methods.addPasskey", journey: "WebAuthnRegister",
        devices: WebAuthnDevices(devices: store.webAuthnDevices)),
      MethodKind(
        path: "key", title: "methods.key", adding: "methods.addKey", journey: "BindDevice",
        devices: BoundDevices(devices: store.boundDevices)),
      MethodKind(
        path: "push", title: "methods.push", adding: "methods.addPush", journey: "PushRegister",
        devices: PushDevices(devices: store.pushDevices, direct: direct)),
      MethodKind(
        path: "app", title: "methods.app", adding: "methods.addApp", journey: "OathRegister",
        devices: OathDevices(devices: store.oathDevices)),
    ]
  }
}
