import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import PingDeviceClient
import PingOrchestrate
import StrictJSON

struct Bind: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Make a key on this device and bind it to a user.",
    discussion: """
      Binding again replaces this device's key of that user, once the new one is stored, and then deletes the server's record of the \
      replaced key. The bundled journeys ask an account that has a key, a passkey or another device to confirm with it first. Who has \
      forgotten the PIN of their only key deletes its record with `sealring devices`, or has an administrator do it, and binds again.

      The PIN of --pin-stdin is that of the key that confirms and of the new one. `sealring keys change-pin` changes it.

      Example: sealring bind --username mira --server https://id.example.com/am
      """)

  @OptionGroup var server: ServerOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var secrets: SecretOptions
  @OptionGroup var stepUp: StepUpOptions

  @Option(help: "The journey that binds.")
  var journey = "BindDevice"

  @Option(help: "Your user name.")
  var username: String = CurrentSettings.text("user")

  @Option(
    help:
      "Where the key is made: auto (the TPM if there is one, else the token of --module), tpm or pkcs11 (fails without one), software."
  )
  var store = StoreChoice.auto

  @Option(help: "What to call this device on the server. Default: the machine's name.")
  var deviceName: String?

  @OptionGroup var output: ResultOptions

  func validate() throws { try CurrentSettings.require(username: username) }

  func run() async throws {
    let result = try await perform(secrets: try await secrets.load())
    if output.json { return Output.json(result) }
    Output.line("Bound \(printable(result["deviceName"]?.stringValue ?? "")) to \(printable(username)).")
    let store = result["store"]?.stringValue ?? ""
    let rows = TerminalText.rows([
      ("Key", result["kid"]?.stringValue ?? ""),
      ("Store", store + (result["attested"] == true ? ", attested" : "")),
      ("Token", printable(result["token"]?.stringValue ?? "")),
      ("Server", "\(server.baseAddress), realm \(server.realm)"),
      ("Evidence", result["evidence"]?.integerValue.map { "entry \($0) of the server's ledger" } ?? ""),
    ])
    Output.remark(String(rows.dropLast()))
  }

  private func perform(secrets: Secrets) async throws -> JSONValue {
    let before = try await BindingModule.getAllKeys()
    for key in await KnownKeys(username: username, server: server).all() {
      Output.remark(
        "This replaces the key \(key.kid) of \(printable(key.username)), bound \(Times.text(key.createdAt)), here and at the server."
      )
    }
    var player = try device.player(at: server, for: username, secrets: secrets, store: store)
    player.deviceName = deviceName
    // The binding journey gets the resulting session.
    if stepUp.stepUp { _ = try await player.play(StepUpOptions.journey) }
    let outcome = try await player.play(journey, forceAuth: stepUp.stepUp)
    let known = Set(before.map(\.kid))
    guard let key = try await BindingModule.getAllKeys().first(where: { !known.contains($0.kid) }) else {
      throw CommandFailure.unsupported(
        "Journey \(journey) succeeded without binding a device. Choose one with a Device Binding node.")
    }
    var result: JSONObject = [
      "kid": .string(key.kid), "userId": .string(key.userId), "username": .string(key.username),
      "deviceName": .string(outcome.deviceAnswer["deviceName"] ?? ""),
      "store": .string(key.store?.rawValue ?? ""), "attested": .bool(outcome.isAttested),
    ]
    let token = try? await device.chip.keyStore(store).token(ofKey: key.keyTag)
    result["token"] = token.map { .string($0.text) }
    result["evidence"] = outcome.evidence.map { .integer($0) }
    let replaced = try await removeReplaced(before, by: key, session: outcome.session)
    if !replaced.isEmpty { result["replaced"] = .array(replaced) }
    let left = await leftRecords(besides: key, session: outcome.session)
    if !left.isEmpty { result["leftRecords"] = .array(left.map { .string($0.id) }) }
    return .object(result)
  }

  /// The server's other records of this device, whose keys are no longer here, such as a key disabled by wrong PINs. They are
  /// reported but not deleted: a copy of this device's state folder has the same identifier, but its own keys.
  private func leftRecords(besides key: UserKey, session: any Session) async -> [BoundDevice] {
    func keyID(_ record: BoundDevice) -> String { record.record["key"]?["kid"]?.stringValue ?? record.uuid }
    guard !session.value.isEmpty,
      let records = try? await server.devices(token: session.value).bound.get().get(),
      let new = records.first(where: { keyID($0) == key.kid }),
      let here = try? await BindingModule.getAllKeys()
    else { return [] }
    let kids = Set(here.map(\.kid))
    let left = records.filter { $0.deviceId == new.deviceId && !kids.contains(keyID($0)) }
    for record in left {
      let bound = Times.text(Date(timeIntervalSince1970: record.createdDate))
      Output.remark(
        """
        The server has another record of this device, \(printable(record.deviceName)) of \(bound), whose key is no longer here.
        Delete it with: sealring devices delete \(printable(record.id)) --username \(printable(username))
        """)
    }
    return left
  }

  /// Deletes the server's records of the keys that the new one replaced on this device. The new binding stays valid even if this
  /// fails.
  private func removeReplaced(
    _ before: [UserKey], by key: UserKey, session: any Session
  ) async throws -> [JSONValue] {
    let left = Set(try await BindingModule.getAllKeys().map(\.kid))
    var results: [JSONValue] = []
    for old in before where old.userId == key.userId && !left.contains(old.kid) {
      let record: String
      do {
        guard !session.value.isEmpty else { throw CommandFailure("the journey left no session") }
        let wasThere = try await server.devices(token: session.value).deleteRecord(of: old)
        record = wasThere ? "deleted" : "alreadyGone"
        Output.remark("The server's record of the replaced key \(old.kid) is deleted.")
      } catch {
        record = "kept"
        Output.remark(
          """
          The server keeps the record of the replaced key \(old.kid): \(PlainReason.of(error))
          Delete it with `sealring devices delete`; `sealring devices list` shows its id.
          """)
      }
      results.append(["kid": .string(old.kid), "record": .string(record)])
    }
    return results
  }
}
