import ArgumentParser
import Foundation
import PingDeviceClient
import PingOrchestrate
import StrictJSON

/// `sealring devices`: the user's devices as the server knows them.
struct Devices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, rename or delete the devices that the server knows for a user.",
    discussion: "To delete a binding together with this device's key, use `sealring unbind`.",
    subcommands: [List.self, Rename.self, Delete.self], defaultSubcommand: List.self)

  /// Signs in and reaches the user's devices.
  struct Access: ParsableArguments {
    @OptionGroup var server: ServerOptions
    @OptionGroup var secrets: SecretOptions
    @OptionGroup var stepUp: StepUpOptions
    @OptionGroup var device: DeviceOptions

    @Option(help: "The journey to sign in with.")
    var journey = "Login"

    @Option(help: "Whose devices.")
    var username: String

    @Option(help: "Which kind of devices.")
    var kind = DeviceKind.bound

    func devices() async throws -> ServerDevices {
      let (device, username, secrets) = (device, username, try await secrets.load())
      let keyStore = try device.chip.keyStore()
      let player = JourneyPlayer(journey: server.makeJourney(), username: username, secrets: secrets) {
        $0.apply(device, keyStore: keyStore, secrets: secrets, username: username)
      }
      let token = try await player.session(journey, stepUp).value
      return ServerDevices(kind, of: server.devices(token: token))
    }

    func unknown(_ id: String) -> CommandFailure {
      CommandFailure(
        "\(username) has no device \(printable(id)). `sealring devices list` shows what there is.",
        code: .notFound)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the user's devices.")

    @OptionGroup var access: Access

    @Flag(help: "Print the server's records as JSON.")
    var json = false

    func run() async throws {
      let devices = try await access.devices().list()
      if json {
        Output.json(.array(devices.map(\.record)))
      } else if devices.isEmpty {
        Output.remark(
          access.kind == .bound
            ? "\(access.username) has no device yet. Bind one with `sealring bind`."
            : "\(access.username) has no device of the kind \(access.kind.rawValue).")
      } else {
        Output.table(
          head: ["DEVICE", "NAME", access.kind == .bound ? "BOUND" : "ADDED", "LAST USED"]
            + (access.kind == .bound ? ["ATTESTATION"] : []),
          rows: devices.map { device in
            [printable(device.id), printable(device.name)]
              + [device.addedAt, device.usedAt].map { $0?.formatted(.iso8601) ?? "-" }
              + (access.kind == .bound ? [Self.attestation(of: device.record)] : [])
          })
      }
    }

    /// Digits of a root's fingerprint that are shown; `--json` has all.
    private static let fingerprintDigits = 16

    /// What attests the device's key, and up to which root: `TPM, root CN=Maker (SHA-256 0123456789abcdef…)`; `no` for a key of
    /// which nobody knows where it lives.
    private static func attestation(of record: JSONValue) -> String {
      guard let attestation = record["attestation"], let kind = attestation["kind"]?.stringValue else {
        return "no"
      }
      let names = ["tpm": "TPM", "android": "Android"]
      let root = attestation["root"]
      let subject = root?["subject"]?.stringValue ?? "unknown"
      let fingerprint = root?["sha256"]?.stringValue ?? ""
      return printable(
        "\(names[kind] ?? kind), root \(subject) (SHA-256 \(fingerprint.prefix(fingerprintDigits))…)")
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Give a device another name.")

    @OptionGroup var access: Access

    @Argument(help: "The device's id, as `sealring devices list` shows it.")
    var device: String

    @Argument(help: "The new name, 1 to 120 characters.")
    var name: String

    @OptionGroup var result: ResultOptions

    func run() async throws {
      guard try await access.devices().rename(device, name) else { throw access.unknown(device) }
      result.done(
        "Device \(printable(device)) is now called \(printable(name)).",
        ["device": .string(device), "deviceName": .string(name)])
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a device from the server: its signatures are refused from then on.")

    @OptionGroup var access: Access

    @Argument(help: "The device's id, as `sealring devices list` shows it.")
    var device: String

    @OptionGroup var confirmation: Confirmation
    @OptionGroup var result: ResultOptions

    func run() async throws {
      try await confirmation.ask(
        "Delete device \(printable(device)) of \(printable(access.username)) from the server?")
      guard try await access.devices().delete(device) else { throw access.unknown(device) }
      result.done(
        "Deleted device \(printable(device)) of \(printable(access.username)) from the server.",
        ["device": .string(device), "username": .string(access.username), "deleted": true])
    }
  }
}
