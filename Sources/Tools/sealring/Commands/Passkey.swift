import ArgumentParser
import DeviceKeys
import Foundation
import PingDeviceClient
import PingFido
import PingOrchestrate
import StrictJSON
import WebAuthnAuthenticator

struct Passkey: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Register and use WebAuthn keys of this device or of a security key, list or delete them.",
    discussion: """
      The keys are this device's own: in its TPM, or in encrypted files. You are asked for consent on the terminal, and verified by \
      fingerprint (fprintd) or login password (PAM) when the server asks for it. With --authenticator security-key a FIDO2 key on USB has \
      them: you touch it, and enter its PIN on the terminal.
      """,
    subcommands: [
      Register.self, Authenticate.self, List.self, Delete.self, PasskeyServe.self, PasskeyBroker.self,
    ],
    defaultSubcommand: List.self)

  struct Register: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key and register it with an account.",
      discussion: """
        Recovery codes, if the journey shows some, are printed once on standard error. An account that has a passkey confirms with it first: \
        one of this machine, or else one of the security key that is plugged in. The PIN of --pin-stdin is the account's bound key's, with \
        --authenticator security-key the security key's; the other one is asked for on the terminal.
        """)

    @OptionGroup var server: ServerOptions
    @OptionGroup var passkey: PasskeyOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "The journey that registers.")
    var journey = "WebAuthnRegister"

    @Option(help: "Your user name.")
    var username: String = CurrentSettings.text("user")

    @Option(help: "Where the key is made: auto (the TPM if there is one), tpm (fails without one), software.")
    var store = StoreChoice.auto

    @Option(help: "What to call this device on the server.")
    var deviceName: String?

    @OptionGroup var output: ResultOptions

    func validate() throws { try CurrentSettings.require(username: username) }

    func run() async throws {
      let secrets = try await secrets.load()
      let config = try passkey.config(store, server: server, username: username, secrets: secrets)
      let keys = WebAuthnKeys(config: config)
      let before = Set(try await keys.all().map(\.id))
      // An account with a bound key confirms with it before it gets another key.
      var player = DeviceOptions.player(
        with: try passkey.chip.keyStore(), at: server, for: username,
        secrets: passkey.secretsOfBoundKey(secrets))
      player.passkeys = config
      #if os(Linux)
        player.confirmingKey = passkey.confirmingKey(config, server: server, username: username)
      #endif
      player.deviceName = deviceName
      let outcome = try await player.play(journey)
      if passkey.authenticator == .securityKey {
        guard let id = outcome.passkey else { throw Self.unregistered(journey) }
        return output.result(
          "Registered key \(id) of the security key for \(printable(username)). This machine keeps no record of it.",
          ["credentialId": .string(id), "username": .string(username), "store": .string("security-key")])
      }
      guard let key = try await keys.all().last(where: { !before.contains($0.id) }) else {
        throw Self.unregistered(journey)
      }
      let store = try await PasskeyPlace.own(passkey.chip).store(of: key)
      output.result(
        "Registered \(printable(key.otherUI)) at \(printable(key.relyingPartyID)): key \(key.credentialID), store \(store).",
        StoredPasskey.columns.record(of: StoredPasskey(key: key, store: store)))
    }

    private static func unregistered(_ journey: String) -> CommandFailure {
      .unsupported(
        "Journey \(journey) succeeded without registering a key. Choose one with a WebAuthn Registration node."
      )
    }
  }

  struct Authenticate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Sign in with a registered key.",
      discussion: "With --username in journey WebAuthnSignIn, without it in journey Usernameless.")

    @OptionGroup var server: ServerOptions
    @OptionGroup var passkey: PasskeyOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "The journey to sign in with.")
    var journey: String?

    @Option(help: "Your user name.")
    var username: String?

    @Option(
      parsing: .unconditional,
      help: "The id of the key to use when there are several, as `sealring passkey list` shows it.")
    var key: String?

    @OptionGroup var output: ResultOptions

    func validate() throws {
      guard key == nil || passkey.authenticator == .thisMachine else {
        throw ValidationError("--key names a key of this machine; a security key has its own.")
      }
      guard passkey.securityKey == nil || passkey.authenticator == .securityKey else {
        throw ValidationError("--security-key names a key of --authenticator security-key.")
      }
    }

    func run() async throws {
      let username = username ?? CurrentSettings.user
      let name = journey ?? (username == nil ? "Usernameless" : "WebAuthnSignIn")
      let secrets = try await secrets.load()
      var player = JourneyPlayer(
        journey: server.makeJourney(), username: username, secrets: passkey.secretsOfBoundKey(secrets))
      player.passkeys = try passkey.config(key: key, server: server, username: username, secrets: secrets)
      let outcome = try await player.play(name)
      guard let used = outcome.passkey else {
        throw CommandFailure.unsupported(
          "Journey \(name) succeeded without a key. Choose one with a WebAuthn Authentication node.")
      }
      output.result(
        "Signed in\(username.map { " as \(printable($0))" } ?? "") with key \(used).",
        [
          "journey": .string(name), "credentialId": .string(used), "tokenId": .string(outcome.session.value),
        ])
      output.handOver(outcome.session)
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the WebAuthn keys of this device, and the security keys that are plugged in.",
      discussion: """
        The security keys stand on standard error, below the list; with --security-keys they are the list. Nothing is sent to them: what keys \
        they have, only they know.
        """)

    @Flag(help: "List the passkeys that other programs made by `sealring passkey serve`.")
    var served = false

    @Flag(help: "List the security keys that are plugged in.")
    var securityKeys = false

    @OptionGroup var chip: ChipOptions
    @OptionGroup var output: ResultOptions

    func run() async throws {
      guard !securityKeys else {
        return output.list(
          PluggedSecurityKey.all, PluggedSecurityKey.columns, none: "No security key is plugged in.")
      }
      let place = try served ? PasskeyPlace.served(chip) : .own(chip)
      var keys: [StoredPasskey] = []
      for key in try await WebAuthnKeys(config: FidoConfig(keyStore: place.keys, credentials: place.records))
        .all()
      {
        keys.append(StoredPasskey(key: key, store: try await place.store(of: key)))
      }
      output.list(
        keys, StoredPasskey.columns,
        none: served
          ? "No passkeys of other programs on this device yet. They make some while `sealring passkey serve` runs."
          : "No WebAuthn keys on this device yet. Register one with `sealring passkey register`.")
      if !served { for key in PluggedSecurityKey.all { Output.remark(key.text) } }
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete a WebAuthn key: the server's record first, then the key on this device.",
      discussion: """
        When the server refuses or cannot be reached, the key stays; with --force it is deleted anyway, and the command still exits with \
        1. With --local the server is not asked, and keeps its record. With --served the site that has the passkey keeps its own: delete it \
        there as well.
        """)

    @Argument(help: "The key's id, as `sealring passkey list` shows it.")
    var key: String

    @OptionGroup var server: ServerOptions
    @OptionGroup var secrets: SecretOptions
    @OptionGroup var chip: ChipOptions

    @Option(help: "The journey to sign in with.")
    var journey = "Login"

    @Option(help: "Who signs in: the key's user. Default: the user that the key was made for.")
    var username: String?

    @Flag(help: "Delete the key on this device only.")
    var local = false

    @Flag(help: "Delete the key on this device even when the server keeps its record.")
    var force = false

    @Flag(help: "Delete a passkey that another program made by `sealring passkey serve`.")
    var served = false

    @OptionGroup var output: ResultOptions
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
      let place = try served ? PasskeyPlace.served(chip) : .own(chip)
      let keys = WebAuthnKeys(config: FidoConfig(keyStore: place.keys, credentials: place.records))
      guard let key = try await keys.all().first(where: { $0.credentialID == self.key }) else {
        throw CommandFailure.missing(
          "WebAuthn key \(printable(self.key))", command: "sealring passkey list\(served ? " --served" : "")")
      }
      try await confirmation.ask(
        "Delete the key \(key.credentialID) of \(printable(key.userName)) \(local || served ? "on this device" : "here and on the server")?"
      )
      var record = "kept"
      if local || served {
        try await keys.delete(key)
      } else {
        record = try await deleteEverywhere(key, keys) ? "deleted" : "alreadyGone"
      }
      output.done(
        "Deleted key \(key.credentialID) of \(printable(key.userName)); the server's record: \(record).",
        ["credentialId": .string(key.credentialID), "record": .string(record), "keyDeleted": true])
    }

    private func deleteEverywhere(_ key: WebAuthnKey, _ keys: WebAuthnKeys) async throws -> Bool {
      let devices: DeviceClient
      do { devices = try await signedInDevices(key) } catch {
        if force { try await keys.delete(key) }
        throw error
      }
      do { return try await keys.delete(key, on: devices, forceDelete: force) } catch let error as DeviceError
      {
        throw CommandFailure(
          "\(PlainReason.of(error)) The key on this device \(force ? "is deleted anyway" : "stays").",
          code: error.code)
      }
    }

    private func signedInDevices(_ key: WebAuthnKey) async throws -> DeviceClient {
      if let kept = await server.signedInToken(of: username ?? key.userName) {
        return try await server.devices(token: kept)
      }
      let player = JourneyPlayer(
        journey: server.makeJourney(), username: username ?? key.userName, secrets: try await secrets.load())
      return try await server.devices(token: player.play(journey).session.value)
    }
  }
}

/// A WebAuthn key, and the store of its private key.
private struct StoredPasskey {
  let key: WebAuthnKey
  let store: String

  static var columns: [Column<StoredPasskey>] {
    [
      Column("KEY", "credentialId") { $0.key.credentialID }, Column("AT", "rpId") { $0.key.relyingPartyID },
      Column("USER", "username") { $0.key.userName }, Column("NAME", "name") { $0.key.otherUI },
      Column("STORE", "store") { $0.store }, Column(member: "discoverable") { .bool($0.key.isDiscoverable) },
      Column(member: "requiresUserVerification") { .bool($0.key.requiresUserVerification) },
      Column("USED", "signCount", number: { Int($0.key.signCount) }),
      Column("CREATED", "createdAt", time: \.key.createdAt), Column(nil, "server") { $0.key.scope?.server },
      Column("REALM", "realm", none: "-") { $0.key.scope?.realm },
      Column("SERVER", none: "not known") { $0.key.scope?.server },
    ]
  }
}
