import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import StrictJSON

/// `sealring bind`: makes a key on this device and binds it to a user.
struct Bind: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a key on this device and bind it to a user.",
    discussion: "Binding again replaces this device's key of that user once the new one is stored.")

  @OptionGroup var server: ServerOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var secrets: SecretOptions
  @OptionGroup var stepUp: StepUpOptions

  @Option(help: "The journey that binds.")
  var journey = "BindDevice"

  @Option(help: "Who you are.")
  var username: String = CurrentSettings.text("user")

  @Option(help: "Where the key is made: auto (the TPM if there is one), tpm (or not at all), software.")
  var store = StoreChoice.auto

  @Option(help: "What to call this device on the server. Default: the machine's name.")
  var deviceName: String?

  @Flag(help: "Print the result as JSON.")
  var json = false

  func validate() throws { try CurrentSettings.require(username: username) }

  func run() async throws {
    let result = try await perform(secrets: try await secrets.load())
    if json {
      Output.json(result)
    } else {
      Output.line(
        "Bound \(printable(result["deviceName"]?.stringValue ?? "")) to \(printable(username)): key \(result["kid"]?.stringValue ?? ""), store \(result["store"]?.stringValue ?? "")\(result["attested"] == true ? ", attested" : "")."
      )
    }
  }

  private func perform(secrets: Secrets) async throws -> JSONValue {
    let (device, deviceName, username) = (device, deviceName, username)
    let keyStore = try device.chip.keyStore(store)
    let before = Set(try await BindingModule.getAllKeys().map(\.kid))
    let player = JourneyPlayer(journey: server.makeJourney(), username: username, secrets: secrets) {
      config in
      config.apply(device, keyStore: keyStore, secrets: secrets, username: username)
      if let deviceName { config.deviceName = deviceName }
    }
    // The session that comes of it is presented to the journey that binds.
    if stepUp.stepUp { _ = try await player.play(StepUpOptions.journey) }
    let outcome = try await player.play(journey, forceAuth: stepUp.stepUp)
    guard let key = try await BindingModule.getAllKeys().first(where: { !before.contains($0.kid) }) else {
      throw CommandFailure(
        "Journey \(journey) succeeded without binding a device. Choose one with a Device Binding node.")
    }
    return [
      "kid": .string(key.kid), "userId": .string(key.userId), "username": .string(key.username),
      "deviceName": .string(outcome.deviceAnswer["deviceName"] ?? ""),
      "store": .string(key.store?.rawValue ?? ""), "attested": .bool(outcome.isAttested),
    ]
  }
}
