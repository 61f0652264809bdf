import Assembly
internal import BindingFormats
import Bytes
import Foundation
import JOSE
import JourneyDriving
import JourneyStore
import PingBinding
import PingDeviceClient
import PingJourney
import PingJourneyPlugin
import PingOrchestrate
import PingStorage
import SealringTesting
import StrictJSON
import UserVerification

/// The scenes of `sealring demo`, each one a line or two.
struct DemoStory: DemoScenes {
  private static let pin = "271828"
  private static let payment = "Pay 100.00 USD to babs@example.com"
  private static let claims = ["amount": "100.00", "currency": "USD", "recipient": "babs@example.com"]

  let options: ServerOptions
  let folder: URL
  let server: SealringServer
  let device: DemoDevice

  func tell() async throws {
    try await begin()
    if !device.remarks.isEmpty {
      scene("TPM", device.remarks[0])
      for remark in device.remarks.dropFirst() { detail(remark) }
    }
    try await forgetEarlierRuns()
    try await bind()
    try await pay()
    try await forge()
    try await mistypePIN()
    try await showDevice()
  }

  /// Deletes the account's devices of earlier runs: their keys name the port of an earlier server.
  private func forgetEarlierRuns() async throws {
    let account = UniversalID(username: Self.username, realm: options.realm)
    for device in try await server.store.boundDevices.all(of: account) {
      _ = try await server.store.boundDevices.delete(device.uuid, of: account)
    }
  }

  private func bind() async throws {
    let outcome = try await player().play(device.journey)
    let jws = try UnverifiedJWS(compact: outcome.deviceAnswer["jws"] ?? "")
    scene("Bind", "password accepted; this device made the key")
    detail("\(jws.header.keyID ?? ""),")
    detail("unlocked by a PIN that never leaves the device;")
    detail("the server has the public half")
    if outcome.isAttested { detail("and the TPM's signed statement that the key cannot leave it") }
  }

  private func pay() async throws {
    let outcome = try await player(text: Self.payment).play("SignTransaction")
    let jws = try UnverifiedJWS(compact: outcome.deviceAnswer["jws"] ?? "")
    let claims = try JSONValue(parsing: jws.payload)
    scene("Pay", "the PIN unlocked the key, which signed:")
    for name in ["challenge"] + Self.claims.keys.sorted() + ["sub", "iss"] {
      detail("\(name.padding(toLength: 10, withPad: " ", startingAt: 0)) \(claims[name]?.stringValue ?? "")")
    }
    verdict(accepted: true, "signature, challenge, audience and times fit; it counts once")
  }

  /// Signs the same payment, changed on its way.
  private func forge() async throws {
    let node = try await JourneyDriver().play(from: await options.makeJourney().start("SignTransaction")) {
      callback, _ in
      if let text = callback as? TextInputCallback { text.text = Self.payment }
      guard let signing = callback as? DeviceSigningVerifierCallback else { return }
      let answer = try await signing.sign { configure($0, pin: Self.pin) }.get()
      let signed = ((answer["input"] as? [[String: Any]])?.first?["value"] as? String) ?? ""
      signing.setJws(try Self.replacingAmount(in: signed))
    }
    scene("Forge", "the same, with 100.00 changed to 900.00 on its way:")
    try refused(node)
  }

  private func mistypePIN() async throws {
    var status: DeviceBindingStatus?
    let node = await JourneyDriver().play(from: await options.makeJourney().start("SignIn")) { callback, _ in
      guard let signing = callback as? DeviceSigningVerifierCallback else { return }
      let result = await signing.sign { configure($0, pin: "000000") }
      if case .failure(let error as DeviceBindingStatus) = result { status = error }
    }
    guard let status else {
      throw CommandFailure("The demo's wrong PIN unlocked the key: please report this as a bug.")
    }
    scene("Thief", "someone else has the device and guesses the PIN:")
    detail("device: \(status.errorMessage); the key stays locked,")
    detail("and the guess is counted")
    try refused(node)
  }

  private func showDevice() async throws {
    let token = try await player().play("Login").session.value
    let devices = try await options.devices(token: token).bound.get().get()
    scene("Device", "what the server keeps of \(Self.username)'s device:")
    for device in devices {
      detail("name       \(device.deviceName)")
      detail("uuid       \(device.uuid)")
      detail("bound      \(Date(timeIntervalSince1970: device.createdDate).formatted(.iso8601))")
      if let attestation = try await attestation(of: device.uuid) { detail("key        \(attestation)") }
      detail("last used  \(Date(timeIntervalSince1970: device.lastAccessDate).formatted(.iso8601))")
    }
  }

  /// The attestation in the server's record of the key.
  private func attestation(of uuid: String) async throws -> String? {
    let records = try await server.store.boundDevices.all(
      of: UniversalID(username: Self.username, realm: options.realm))
    guard let record = records.first(where: { $0.uuid == uuid })?.attestation else { return nil }
    let root = record["root"]
    return "attested: \(record["kind"]?.stringValue ?? ""), by root \(root?["subject"]?.stringValue ?? "")"
  }

  private func player(text: String? = nil) -> JourneyPlayer {
    let configure = configure
    return JourneyPlayer(
      journey: options.makeJourney(), username: Self.username,
      secrets: Secrets(givenPassword: Self.password, givenPIN: Self.pin), text: text
    ) { config in
      configure(config, Self.pin)
      config.claims = text == nil ? [:] : Self.claims
    }
  }

  @Sendable private func configure(_ config: DeviceBindingConfig, pin: String) {
    config.applicationId = "com.sealring.cli"
    config.keyStore = device.keyStore
    config.authorizationVault = AuthorizationVault(directory: folder.appending(path: "device/vault"))
    config.userKeyStorage = UserKeyStorageConfig(
      storage: FileStorage<[UserKey]>(file: folder.appending(path: "device/userkeys.json")))
    config.authenticatorConfig = AppPinConfig(pinRetry: 1, pinCollector: GivenPIN(pin))
    config.textConfirmation = { $0.hasSameBytes(as: Self.payment) }
  }

  private static func replacingAmount(in jws: String) throws -> String {
    var parts = jws.split(separator: ".").map(String.init)
    guard parts.count == 3 else {
      throw CommandFailure("The demo's key made no signed token: please report this as a bug.")
    }
    let payload = String(decoding: Base64URL.decode(parts[1]) ?? [], as: UTF8.self)
    parts[1] = Base64URL.encode(payload.replacing("100.00", with: "900.00").utf8)
    return parts.joined(separator: ".")
  }
}
