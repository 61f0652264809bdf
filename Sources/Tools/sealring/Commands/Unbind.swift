import ArgumentParser
import Foundation
import PingBinding
import PingDeviceClient
import StrictJSON

struct Unbind: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Delete a binding: the server's record first, then the key on this device.",
    discussion: """
      Running it again is safe, also after an interruption. When the server refuses or cannot be reached, the key stays; \
      with --force it is deleted anyway, and the command still exits with 1, because the server's record remains.
      """)

  @Argument(help: "The key's id, as `sealring keys list` shows it. Default: the only key of --username.")
  var kid: String?

  @OptionGroup var server: ServerOptions
  @OptionGroup var secrets: SecretOptions
  @OptionGroup var device: DeviceOptions
  @OptionGroup var stepUp: StepUpOptions

  @Option(help: "The journey to sign in with.")
  var journey = "Login"

  @Option(help: "Who signs in: the key's user, or an administrator who names the key.")
  var username: String = CurrentSettings.text("user")

  @Flag(help: "Delete the key on this device even when the server keeps its record.")
  var force = false

  @OptionGroup var output: ResultOptions
  @OptionGroup var confirmation: Confirmation

  func validate() throws { try CurrentSettings.require(username: username) }

  func run() async throws {
    let key = try await key()
    try await confirmation.ask(
      "Delete the key \(key.kid) of \(printable(key.username)), here and at \(server.baseAddress)?")
    do {
      let result = try await BindingModule.unbind(
        key, on: try await records(), forceDelete: force, keyStore: device.chip.keyStore())
      output.done(
        "Unbound: the server's record and the key \(key.kid) of \(printable(key.username)) are deleted.",
        Self.result(key, result == .deleted ? "deleted" : "alreadyGone", isKeyDeleted: true))
    } catch let error as UnbindingError {
      let record =
        switch error.record {
        case .kept: "kept"
        case .gone: "gone"
        case .untouched: "untouched"
        }
      if output.json { Output.json(.object(Self.result(key, record, isKeyDeleted: error.isKeyDeleted))) }
      if case .kept(let cause as DeviceError) = error.record, let needed = cause.neededStepUp {
        throw CommandFailure.forbidden(StepUpOptions.advice(needed))
      }
      throw CommandFailure(PlainReason.of(error), code: error.code)
    }
  }

  private static func result(_ key: UserKey, _ record: String, isKeyDeleted: Bool) -> JSONObject {
    [
      "kid": .string(key.kid), "userId": .string(key.userId), "username": .string(key.username),
      "record": .string(record), "keyDeleted": .bool(isKeyDeleted),
    ]
  }

  private func key() async throws -> UserKey {
    let keys = try await BindingModule.getAllKeys().filter {
      kid == nil
        ? $0.username.lowercased() == username.lowercased()
          && $0.isUsable(at: server.baseAddress, realm: server.realm) : $0.kid == kid
    }
    let wanted = kid.map { printable($0) } ?? "of \(printable(username)) for \(server.baseAddress)"
    let kids = keys.map(\.kid).joined(separator: ", ")
    return try onlyOne(
      keys, none: CommandFailure.missing("key \(wanted)", command: "sealring keys list").description,
      several: "\(printable(username)) has \(keys.count) keys on this device. Name one: \(kids).")
  }

  /// The server's records in a new session. With --force, a failed sign-in becomes records that throw the reason.
  private func records() async throws -> any DeviceUnbinding {
    do {
      let token = try await device.token(
        of: username, at: server, by: journey, stepUp, secrets: try await secrets.load())
      return try await server.devices(token: token)
    } catch let failure as CommandFailure where force {
      return NoSession(failure: failure)
    }
  }

  /// Replaces the server's records when the command could not sign in.
  private struct NoSession: DeviceUnbinding, LocalizedError {
    let failure: CommandFailure

    var errorDescription: String? { failure.description }

    func deleteRecord(of key: UserKey) async throws -> Bool { throw self }
  }
}
