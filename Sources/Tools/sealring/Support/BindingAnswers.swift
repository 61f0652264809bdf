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

/// Supplies the PIN from standard input. It is tried only once, because another attempt would use the same PIN.
final class GivenPIN: PinCollector, Sendable {
  private let pin: String

  init(_ pin: String) { self.pin = pin }

  func collectPin(prompt: Prompt, completion: @escaping @Sendable (String?) -> Void) { completion(pin) }
}

extension PINPolicy {
  /// The rule for new PINs on the command line: six characters, because keys are often files, and a copy of a file can be attacked
  /// offline.
  static let commandLine = PINPolicy(minimumLength: 6)
}

/// The keys of this device before one is used.
struct KnownKeys {
  let username: String?
  let server: ServerOptions

  /// The user's keys that this server and realm may use.
  func all() async -> [UserKey] {
    let keys = (try? await BindingModule.getAllKeys()) ?? []
    return keys.filter { key in
      key.isUsable(at: server.baseAddress, realm: server.realm)
        && (username.map { key.username.lowercased() == $0.lowercased() } ?? true)
    }
  }

  /// The account whose key will be used; `nil` when keys of several users qualify.
  func account() async -> String? {
    if let username { return username }
    let names = Set(await all().map(\.username))
    return names.count == 1 ? names.first : nil
  }

  /// The remaining tries, after wrong PINs for exactly one key; `nil` otherwise.
  func triesLeft(in keyStore: any DeviceKeyStore) async -> PINTries? {
    var tries: [PINTries] = []
    for key in await all() where key.authType == .applicationPin {
      if let found = try? await keyStore.pinTries(tag: key.keyTag), found.wrong > 0 { tries.append(found) }
    }
    return tries.count == 1 ? tries.first : nil
  }

  /// The failure when all keys of this device belong to other servers or realms: the address is wrong more often than a key is missing.
  func elsewhere() async -> CommandFailure? {
    let keys = (try? await BindingModule.getAllKeys()) ?? []
    let places = keys.compactMap { key in key.server.map { "\($0), realm \(key.realm ?? "root")" } }
    guard !keys.contains(where: { $0.isUsable(at: server.baseAddress, realm: server.realm) }),
      let place = places.min()
    else { return nil }
    return .notFound(
      "This device has no key for \(printable(server.baseAddress)), realm \(printable(server.realm)), but one for "
        + "\(printable(place)); `sealring keys list` shows all. Give the --server and --realm of the key, or bind the device here with "
        + "`sealring bind`.")
  }
}

extension DeviceOptions {
  /// A player for journeys with this device's keys; other settings keep their defaults.
  ///
  /// - Parameters:
  ///   - username: The owner of the keys; `nil` for any user that the server names.
  ///   - question: Shows the data to sign; by default the terminal asks about each text.
  func player(
    at server: ServerOptions, for username: String?, secrets: Secrets, store: StoreChoice = .auto,
    question: TransactionQuestion? = nil
  ) throws -> JourneyPlayer {
    Self.player(
      with: try chip.keyStore(store), as: applicationID, at: server, for: username, secrets: secrets,
      question: question)
  }

  /// A player for commands that have these options in another form.
  static func player(
    with keyStore: any DeviceKeyStore, as applicationID: String = CurrentSettings.text("application"),
    at server: ServerOptions, for username: String?, secrets: Secrets, question: TransactionQuestion? = nil
  ) -> JourneyPlayer {
    let question = question ?? TransactionQuestion(server: server, account: username)
    var player = JourneyPlayer(journey: server.makeJourney(), username: username, secrets: secrets) {
      config in
      config.applicationId = applicationID
      config.keyStore = keyStore
      #if os(Linux)
        config.biometricVerifier = FprintdVerifier()
        config.deviceCredentialVerifier = PAMVerifier()
      #endif
      // The text may contain the server's words.
      config.biometricProgress = { ServerWords.show($0.text) }
      let pins =
        secrets.givenPIN.map { AppPinConfig(pinRetry: 1, pinCollector: GivenPIN($0)) } ?? AppPinConfig()
      pins.pinPolicy = .commandLine
      config.authenticatorConfig = pins
      config.username = username
      config.textConfirmation = { await question.ask(text: $0) }
    }
    player.question = question
    let known = KnownKeys(username: username, server: server)
    player.triesLeft = { await known.triesLeft(in: keyStore) }
    player.keysElsewhere = { await known.elsewhere() }
    return player
  }

  /// The token of the session that is kept for the user, or of a new one. A kept session proves only its own sign-in, so
  /// `--step-up` always starts a new one.
  func token(
    of username: String, at server: ServerOptions, by journey: String, _ stepUp: StepUpOptions,
    secrets: Secrets
  ) async throws -> String {
    if !stepUp.stepUp, let kept = await server.signedInToken(of: username) { return kept }
    return try await player(at: server, for: username, secrets: secrets).session(journey, stepUp).value
  }
}
