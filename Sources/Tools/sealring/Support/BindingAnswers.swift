import ArgumentParser
import DeviceKeys
import PingBinding
import PingOrchestrate
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM

/// Options of the commands that use this device's keys.
struct DeviceOptions: ParsableArguments {
  @Option(name: .customLong("app-id"), help: "The application id that signed tokens carry as 'iss'.")
  var applicationID = CurrentSettings.text("application")

  @OptionGroup var chip: ChipOptions
}

/// Gives the PIN that was passed on standard input; it is tried once, since asking again would not change it.
final class GivenPIN: PinCollector, Sendable {
  private let pin: String

  init(_ pin: String) { self.pin = pin }

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) { completion(pin) }
}

/// Chooses the keys of the named user, and asks only when that leaves several.
struct NamedKeySelector: UserKeySelector {
  let username: String

  func selectKey(userKeys: [UserKey], prompt: Prompt) async -> UserKey? {
    let own = userKeys.filter { $0.username.lowercased() == username.lowercased() }
    return own.count == 1
      ? own.first : await DefaultUserKeySelector().selectKey(userKeys: own, prompt: prompt)
  }
}

extension PINPolicy {
  /// What the command line asks of a new PIN: six characters, because its keys are often files, where a copy can be guessed at.
  static let commandLine = PINPolicy(minimumLength: 6)
}

/// What is known of this device's keys before one is used.
struct KnownKeys {
  let username: String?
  let server: ServerOptions

  /// The keys of the user that this server and realm may use.
  func all() async -> [UserKey] {
    let keys = (try? await BindingModule.getAllKeys()) ?? []
    return keys.filter { key in
      key.isUsable(at: server.baseAddress, realm: server.realm)
        && (username.map { key.username.lowercased() == $0.lowercased() } ?? true)
    }
  }

  /// Whose key will be used; `nil` when there are several users.
  func account() async -> String? {
    if let username { return username }
    let names = Set(await all().map(\.username))
    return names.count == 1 ? names.first : nil
  }

  /// How many wrong PINs the key still takes after some; `nil` unless there were some for exactly one key.
  func triesLeft(in keyStore: any DeviceKeyStore) async -> String? {
    var tries: [PINTries] = []
    for key in await all() where key.authType == .applicationPin {
      if let found = try? await keyStore.pinTries(tag: key.keyTag), found.wrong > 0 { tries.append(found) }
    }
    return tries.count == 1 ? tries.first?.sentence : nil
  }
}

extension DeviceOptions {
  /// Plays journeys with this device's keys; what is not set here stays at its default.
  func player(
    at server: ServerOptions, for username: String?, secrets: Secrets, store: StoreChoice = .auto
  ) throws -> JourneyPlayer {
    let keyStore = try chip.keyStore(store)
    var player = JourneyPlayer(journey: server.makeJourney(), username: username, secrets: secrets) {
      [applicationID] config in
      config.applicationId = applicationID
      config.keyStore = keyStore
      #if os(Linux)
        config.biometricVerifier = FprintdVerifier()
        config.deviceCredentialVerifier = PAMVerifier()
      #endif
      config.biometricProgress = { Output.remark($0.text) }
      let pins =
        secrets.givenPIN.map { AppPinConfig(pinRetry: 1, pinCollector: GivenPIN($0)) } ?? AppPinConfig()
      pins.pinPolicy = .commandLine
      config.authenticatorConfig = pins
      if let username { config.userKeySelector = NamedKeySelector(username: username) }
    }
    let known = KnownKeys(username: username, server: server)
    player.triesLeft = { await known.triesLeft(in: keyStore) }
    return player
  }

  /// The token of the session that is kept for the user, else of a new one. A kept session shows no more than its own sign-in, so `--step-up`
  /// always begins a new one.
  func token(
    of username: String, at server: ServerOptions, by journey: String, _ stepUp: StepUpOptions,
    secrets: Secrets
  ) async throws -> String {
    if !stepUp.stepUp, let kept = await server.signedInToken(of: username) { return kept }
    return try await player(at: server, for: username, secrets: secrets).session(journey, stepUp).value
  }
}
