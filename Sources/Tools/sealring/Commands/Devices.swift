import ArgumentParser
import BindingFormats
import Foundation
import PingOrchestrate
import StrictJSON

struct Devices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List, rename or delete the devices that the server knows for a user.",
    discussion: """
      To delete a binding together with this device's key, use `sealring unbind`. With --admin an administrator, the help desk or an \
      auditor signs in instead of the user; the password then comes from SEALRING_ADMIN_PASSWORD, --password-stdin or a prompt.
      """,
    subcommands: [List.self, Rename.self, Delete.self], defaultSubcommand: List.self)

  /// Signs in and gives access to the user's devices.
  struct Access: ParsableArguments {
    @OptionGroup var server: ServerOptions
    @OptionGroup var secrets: SecretOptions
    @OptionGroup var stepUp: StepUpOptions
    @OptionGroup var device: DeviceOptions

    @Option(help: "The journey to sign in with.")
    var journey = "Login"

    @Option(help: "The user whose devices to work on.")
    var username: String = CurrentSettings.text("user")

    @Option(help: "The kind of devices.")
    var kind = DeviceKind.bound

    @Option(help: "The account that signs in instead, with a role over the user's account.")
    var admin: String?

    @Option(help: "The realm that this account is in.")
    var adminRealm = "root"

    func validate() throws { try CurrentSettings.require(username: username) }

    /// The devices of each kind, all with one session.
    func devices() async throws -> (DeviceKind) -> ServerDevices {
      if let admin {
        let client = try await administration(by: admin)
        return { ServerDevices($0, of: username, for: client) }
      }
      let token = try await device.token(
        of: username, at: server, by: journey, stepUp, secrets: try await secrets.load())
      let devices = try await server.devices(token: token)
      return { ServerDevices($0, of: devices) }
    }

    /// An administrator's client, whose session ends with the command.
    private func administration(by admin: String) async throws -> AdministrationClient {
      var place = server
      place.realm = RealmPath(adminRealm).name
      let loaded = try await secrets.load()
      let secrets = Secrets(
        givenPassword: loaded.givenPassword ?? Environment.administratorPassword, givenPIN: loaded.givenPIN)
      let player = JourneyPlayer(journey: place.makeJourney(), username: admin, secrets: secrets)
      return AdministrationClient(server: server, token: try await player.session(journey, stepUp).value)
    }

    func unknown(_ id: String) -> CommandFailure {
      CommandFailure.notFound(
        "\(username) has no device \(printable(id)). `sealring devices list` shows what there is.")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the user's devices.")

    @OptionGroup var access: Access

    @Flag(help: "List the devices of every kind.")
    var allKinds = false

    @OptionGroup var output: ResultOptions

    func run() async throws {
      let devices = try await access.devices()
      var found: [Found] = []
      for kind in allKinds ? DeviceKind.allCases : [access.kind] {
        found += try await devices(kind).list().map { (kind, $0) }
      }
      let isBound = !allKinds && access.kind == .bound
      let columns: [Column<Found>?] = [
        allKinds ? Column("KIND") { $0.kind.rawValue } : nil, Column("DEVICE") { $0.entry.id },
        Column("NAME") { $0.entry.name }, Column(isBound ? "BOUND" : "ADDED", time: \.entry.addedAt),
        Column("LAST USED", time: \.entry.usedAt),
        isBound ? Column("ATTESTATION") { Self.attestation(of: $0.entry.record) } : nil,
      ]
      let none =
        allKinds
        ? "no devices."
        : isBound
          ? "no device yet. Bind one with `sealring bind`." : "no device of the kind \(access.kind.rawValue)."
      output.list(found, columns.compactMap(\.self), none: "\(printable(access.username)) has \(none)") {
        allKinds ? Self.record($0.kind, $0.entry) : $0.entry.record
      }
    }

    private typealias Found = (kind: DeviceKind, entry: ServerDevices.Entry)

    private static func record(_ kind: DeviceKind, _ entry: ServerDevices.Entry) -> JSONValue {
      var record = entry.record.objectValue ?? JSONObject()
      record["kind"] = .string(kind.rawValue)
      return .object(record)
    }

    /// The number of digits of a root's fingerprint to show; `--json` has all of them.
    private static let fingerprintDigits = 16

    /// The attestation of the device's key, and its root: `TPM, root CN=Maker (SHA-256 0123456789abcdef…)`; `no` for a key without
    /// an attestation.
    private static func attestation(of record: JSONValue) -> String {
      guard let attestation = record["attestation"], let kind = attestation["kind"]?.stringValue else {
        return "no"
      }
      let names = ["tpm": "TPM", "android": "Android"]
      let root = attestation["root"]
      let subject = root?["subject"]?.stringValue ?? "unknown"
      let fingerprint = root?["sha256"]?.stringValue ?? ""
      return "\(names[kind] ?? kind), root \(subject) (SHA-256 \(fingerprint.prefix(fingerprintDigits))…)"
    }
  }

  struct Rename: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Rename a device.")

    @OptionGroup var access: Access

    @Argument(help: "The device's id, as `sealring devices list` shows it.")
    var device: String

    @Argument(help: "The new name, 1 to 120 characters.")
    var name: String

    @OptionGroup var result: ResultOptions

    func run() async throws {
      guard try await access.devices()(access.kind).rename(device, name) else { throw access.unknown(device) }
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
      guard try await access.devices()(access.kind).delete(device) else { throw access.unknown(device) }
      result.done(
        "Deleted device \(printable(device)) of \(printable(access.username)) from the server.",
        ["device": .string(device), "username": .string(access.username), "deleted": true])
    }
  }
}
