internal import Accounts
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

  /// See ``DeviceKind/isKey``.
  let isKey: Bool

  let all: @Sendable (UniversalID) async throws -> [AccountMethod]

  /// Both of a device of the session's own account; whether it has one of that id.
  let rename: @Sendable (_ id: String, _ name: String, AuthenticatedSession, Accounts) async throws -> Bool
  let remove: @Sendable (_ id: String, AuthenticatedSession, Accounts) async throws -> Bool

  /// Whether a name is one that the kind refuses beyond the rules of all.
  let refuses: @Sendable (_ name: String) -> Bool

  private init<Kind: DeviceKind>(
    _ kind: Kind, path: String, title: String, adding: String, journey: String,
    _ method: @escaping @Sendable (Kind.Record) -> AccountMethod
  ) {
    self.path = path
    self.title = title
    self.adding = adding
    self.journey = journey
    isKey = Kind.isKey
    all = { try await kind.devices.all(of: $0).map(method) }
    rename = { id, name, session, accounts in
      try await accounts.renameMethod(
        id, to: name, kind: Kind.name, in: kind.devices, of: session.account, by: session.actor) != nil
    }
    remove = { id, session, accounts in
      let device = try await accounts.removeMethod(
        id, kind: Kind.name, in: kind.devices, of: session.account, by: session.actor)
      guard let device else { return false }
      kind.ended(device)
      return true
    }
    refuses = { Kind.fault(inName: $0) != nil }
  }

  /// All kinds, the strongest first.
  static func all(_ store: any ServerStore, direct: PollWaiters) -> [MethodKind] {
    [
      MethodKind(
        WebAuthnDevices(devices: store.webAuthnDevices), path: "passkey", title: "methods.passkey",
        adding: "methods.addPasskey", journey: "WebAuthnRegister", AccountMethod.init),
      MethodKind(
        BoundDevices(devices: store.boundDevices), path: "key", title: "methods.key",
        adding: "methods.addKey",
        journey: "BindDevice", AccountMethod.init),
      MethodKind(
        PushDevices(devices: store.pushDevices, direct: direct), path: "push", title: "methods.push",
        adding: "methods.addPush", journey: "PushRegister", AccountMethod.init),
      MethodKind(
        OathDevices(devices: store.oathDevices), path: "app", title: "methods.app", adding: "methods.addApp",
        journey: "OathRegister", AccountMethod.init),
    ]
  }
}
