internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingBinding
internal import PingDeviceId
internal import PingDeviceProfile
internal import PingFido
internal import PingJourneyPlugin
internal import PingOrchestrate
internal import PingStorage
internal import SealringTesting
internal import UserVerification
internal import WebAuthnAuthenticator

/// A device of a test, with software keys: binds, signs, has passkeys, makes codes and answers push messages.
final class ScriptedDevice: Sendable {
  /// The user's password and finger.
  private static let password = "password of the device"
  private static let finger = "index"

  private let device: TestDevice
  private let reader: MemoryBiometricVerifier
  private let passkeyStore = MemoryKeyStore()
  private let folder: URL

  /// The authenticators that are enrolled on this device.
  let oath = OathDevice()
  let push = PushDevice()

  /// - Parameter folder: a folder for this device only; the test removes it.
  init(folder: URL) {
    self.folder = folder
    reader = MemoryBiometricVerifier(enrolled: [Self.finger])
    device = TestDevice(
      biometricVerifier: reader, deviceCredentialVerifier: MemoryCredentialVerifier(password: Self.password))
  }

  /// Answers a callback for devices; returns `false` for other callbacks.
  func answer(_ callback: any Callback, as use: ScriptStep.DeviceUse, clock: TestClock) async -> Bool {
    switch callback {
    case let callback as BindingCallback:
      if case .reports(let error)? = use.fault {
        callback.setClientError(error)
      } else {
        reader.happen(use.fault == .cancels ? .cancel : .finger(Self.finger))
        _ = await device.answer(callback) { self.configure($0, use, clock) }
        forge(callback, use)
      }
    case let callback as FidoCallback:
      if case .reports(let outcome)? = use.fault {
        callback.valueCallback(value: outcome)
      } else {
        callback.config = passkeys(use)
        await perform(callback, use)
      }
    case let callback as DeviceProfileCallback:
      let id = TestDeviceID(id: folder.lastPathComponent)
      _ = await callback.collect { config in
        config.deviceIdentifier = id
        config.collectors = [PlatformCollector()]
      }
    default: return false
    }
    return true
  }

  private func configure(_ config: DeviceBindingConfig, _ use: ScriptStep.DeviceUse, _ clock: TestClock) {
    let person =
      switch use.fault {
      case .cancels: ScriptedPerson(pins: [.cancels], picks: .cancels, onTransactions: .refuses)
      default:
        ScriptedPerson(pins: use.pin.map { [.enters($0)] } ?? [], devicePassword: Self.password)
      }
    device.configure(config, person: person, clock: clock)
    if let name = use.name { config.deviceName = name }
    if !use.claims.isEmpty { config.claims = use.claims }
  }

  /// Changes the signature, like an attacker on the way to the server.
  private func forge(_ callback: BindingCallback, _ use: ScriptStep.DeviceUse) {
    guard use.fault == .forges else { return }
    let inputs = callback.json["input"] as? [[String: Any]] ?? []
    guard
      let jws = inputs.first(where: { ($0["name"] as? String)?.hasSuffix("jws") == true })?["value"]
        as? String,
      let dot = jws.lastIndex(of: ".")
    else { return }
    let signature = jws[jws.index(after: dot)...]
    let first: Character = signature.first == "A" ? "B" : "A"
    callback.setJws(String(jws[...dot]) + String(first) + String(signature.dropFirst()))
  }

  // MARK: Passkeys

  private func passkeys(_ use: ScriptStep.DeviceUse) -> FidoConfig {
    let knows = use.fault != .cancels
    return FidoConfig(
      keyStore: passkeyStore,
      credentials: CredentialStore(
        directory: folder.appending(path: "credentials"), encryptor: NoEncryptor()),
      verifiers: UserVerifiers(
        deviceCredential: MemoryCredentialVerifier(password: Self.password),
        credentialSource: FixedCredentialSource(knows ? CredentialSecret(Self.password) : nil),
        vault: AuthorizationVault(directory: folder.appending(path: "vault"))),
      origin: use.fault == .forges ? "https://elsewhere.example" : nil, consent: Agreement(agrees: knows),
      relyingPartyIDs: use.fault == .forges ? ["localhost"] : [])
  }

  private func perform(_ callback: FidoCallback, _ use: ScriptStep.DeviceUse) async {
    switch callback {
    case let callback as FidoRegistrationCallback:
      _ = await callback.register(deviceName: use.name, window: PresentationAnchor())
    case let callback as FidoAuthenticationCallback:
      _ = await callback.authenticate(window: PresentationAnchor())
    default: break
    }
  }

  /// Distinguishes this device from the others of the test.
  private struct TestDeviceID: DeviceIdentifier {
    let id: String
  }

  /// The consent of the authenticator's user.
  private struct Agreement: AuthenticatorConsent {
    let agrees: Bool

    func mayRevealExcludedCredential() async -> Bool { agrees }
    func mayCreate(_ credential: CredentialDescription) async -> Bool { agrees }
    func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
      agrees ? credentials.last : nil
    }
  }
}
