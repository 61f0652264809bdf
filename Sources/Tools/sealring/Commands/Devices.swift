import ArgumentParser
import Foundation
import PingDeviceClient
import PingOrchestrate
import StrictJSON

/// `sealring devices`: the user's devices as the server knows them.
struct Devices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, rename or delete the devices that the server knows for a user.",
    subcommands: [List.self, Rename.self, Delete.self], defaultSubcommand: List.self)

  /// Signs in and reaches the user's devices.
  struct Access: ParsableArguments {
    @OptionGroup var server: ServerOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "The journey to sign in with.")
    var journey = "Login"

    @Option(help: "Whose devices.")
    var username: String

    func devices() async throws -> any DeviceRepository<BoundDevice> {
      let player = JourneyPlayer(
        journey: server.makeJourney(), username: username, secrets: try await secrets.load())
      let token = try await player.play(journey).session.value
      return DeviceClient(
        config: DeviceClientConfig(
          serverUrl: server.baseAddress, realm: server.realm, ssoToken: token, httpClient: quietClient())
      ).bound
    }

    /// The device of that id among the user's.
    func device(_ id: String, in devices: any DeviceRepository<BoundDevice>) async throws -> BoundDevice {
      guard let device = try await devices.get().orFail().first(where: { $0.id == id }) else {
        throw CommandFailure(
          "\(username) has no device \(printable(id)). `sealring devices list` shows what there is.")
      }
      return device
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the user's devices.")

    @OptionGroup var access: Access

    @Flag(help: "Print the server's records as JSON.")
    var json = false

    func run() async throws {
      let devices = try await access.devices().get().orFail()
      if json {
        Output.json(.array(devices.map(\.record)))
      } else if devices.isEmpty {
        Output.remark("\(access.username) has no device yet. Bind one with `sealring bind`.")
      } else {
        Output.table(
          head: ["DEVICE", "NAME", "BOUND", "LAST USED", "ATTESTATION"],
          rows: devices.map { device in
            [device.id, printable(device.deviceName)]
              + [device.createdDate, device.lastAccessDate].map {
                Date(timeIntervalSince1970: $0).formatted(.iso8601)
              } + [Self.attestation(of: device.record)]
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

    func run() async throws {
      let devices = try await access.devices()
      var record = try await access.device(device, in: devices)
      record.deviceName = name
      _ = try await devices.update(record).orFail()
      Output.remark("Device \(device) is now called \(printable(name)).")
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a device from the server: its signatures are refused from then on.")

    @OptionGroup var access: Access

    @Argument(help: "The device's id, as `sealring devices list` shows it.")
    var device: String

    func run() async throws {
      let devices = try await access.devices()
      _ = try await devices.delete(try await access.device(device, in: devices)).orFail()
      Output.remark("Deleted device \(device) of \(printable(access.username)) from the server.")
    }
  }
}

extension Result where Failure == DeviceError {
  /// The value, or the failure as one sentence.
  fileprivate func orFail() throws -> Success {
    do { return try get() } catch { throw CommandFailure(error.localizedDescription) }
  }
}
