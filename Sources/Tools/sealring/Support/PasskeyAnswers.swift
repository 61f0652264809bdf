import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import PingFido
import SecurityKeys
import TerminalPrompts
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM
import WebAuthnAuthenticator

/// The authenticator that holds the keys.
enum PasskeyAuthenticator: String, ExpressibleByArgument, CaseIterable {
  case thisMachine = "this-machine"
  case securityKey = "security-key"
}

/// Options of the commands that make and use WebAuthn keys.
struct PasskeyOptions: ParsableArguments {
  @OptionGroup var chip: ChipOptions

  @Option(
    help:
      "The origin that signed data names: one of the node's origin domains. Default: the server's; on this machine http://localhost:PORT."
  )
  var origin: String?

  @Option(
    help:
      "The id of a relying party that the server may use although it does not match the origin. Repeatable."
  )
  var relyingParty: [String] = []

  @Option(
    help:
      "What has the keys: this-machine (its TPM or files), or security-key (a FIDO2 key on USB, by libfido2)."
  )
  var authenticator = PasskeyAuthenticator.thisMachine

  @Option(
    help: ArgumentHelp(
      "The security key's file, as `sealring passkey list` shows it, when several are plugged in. Default: the only one.",
      valueName: "path"),
    completion: .file())
  var securityKey: String?

  @Flag(help: "Agree to everything that would be asked, for scripts. A security key is touched all the same.")
  var yes = false

  @Flag(help: "Skip verification by fingerprint or password, for scripts. Servers that require it refuse.")
  var noUserVerification = false

  /// The configuration for ceremonies.
  ///
  /// - Parameters:
  ///   - server: The requesting server.
  ///   - username: The account, if the command names it.
  ///   - secrets: The secrets from standard input; the PIN is the security key's only with `--authenticator security-key`.
  func config(
    _ store: StoreChoice = .auto, key: String? = nil, server: ServerOptions, username: String?,
    secrets: Secrets
  ) throws -> FidoConfig {
    var config = FidoConfig(
      keyStore: try chip.keyStore(store), verifiers: noUserVerification ? UserVerifiers() : Self.verifiers,
      origin: origin,
      consent: PasskeyConsent(
        isAnswered: yes, key: key, server: server.baseAddress, username: username),
      relyingPartyIDs: Set(relyingParty))
    #if os(Linux)
      if authenticator == .securityKey {
        config.securityKey = namedKey(secrets.givenPIN, server: server, username: username)
      }
    #else
      guard authenticator == .thisMachine else {
        throw CommandFailure.unsupported(
          "Security keys are used by libfido2 on Linux only. Use this machine's keys.")
      }
    #endif
    return config
  }

  #if os(Linux)
    /// The security key of `config`, so that a PIN that was wrong for one of its steps is not tried in another; or an attached one, because
    /// an account may have its passkey there. An attached key does not get the PIN of standard input, which belongs to another key: the
    /// server decides which key has to confirm.
    func confirmingKey(
      _ config: FidoConfig, server: ServerOptions, username: String?
    ) -> SecurityKeyAuthenticator? {
      if let key = config.securityKey { return key }
      guard securityKey != nil || !SecurityKeyAuthenticator.attached().isEmpty else { return nil }
      return namedKey(nil, server: server, username: username)
    }

    private func namedKey(
      _ givenPIN: String?, server: ServerOptions, username: String?
    ) -> SecurityKeyAuthenticator {
      SecurityKeyAuthenticator(
        person: SecurityKeyTerminal(givenPIN: givenPIN, server: server.baseAddress, username: username),
        path: securityKey)
    }
  #endif

  /// The secrets for the account's bound key: without the PIN if that is the security key's.
  func secretsOfBoundKey(_ secrets: Secrets) -> Secrets {
    authenticator == .securityKey ? secrets.withoutPIN : secrets
  }

  private static var verifiers: UserVerifiers {
    #if os(Linux)
      UserVerifiers(
        biometric: FprintdVerifier(), deviceCredential: PAMVerifier(),
        credentialSource: DefaultCredentialSource(), progress: { Output.remark($0.text) })
    #else
      UserVerifiers(credentialSource: DefaultCredentialSource(), progress: { Output.remark($0.text) })
    #endif
  }
}

/// Asks for consent on the terminal, or takes it from --yes and --key.
struct PasskeyConsent: AuthenticatorConsent {
  let isAnswered: Bool
  /// The key named on the command line.
  let key: String?
  /// The server's address, from this device's own data.
  let server: String
  /// The account that the command names.
  let username: String?

  // The question does not reveal that the device is registered: the user decides whether the server may learn that.
  func mayRevealExcludedCredential() async -> Bool { await agrees("Register a key?\n", registering) }

  private var registering: String {
    "Make a key of this device\(username.map { " for \(Self.short($0))" } ?? "") at \(TerminalText.address(server, columns: 32))"
  }

  /// Cuts a part of a question so that it stays on one line of a terminal.
  private static func short(_ text: String) -> String { TerminalText.line(text, columns: 32) }

  // The device's own facts stand below the server's text, next to the question.
  func mayCreate(_ credential: CredentialDescription) async -> Bool {
    let (user, shown) = (credential.userName, credential.userDisplayName)
    let account = user == shown ? user : "\(user) (\(shown))"
    return await agrees(
      "Register a key?\nThe server calls itself and the account:\n"
        + TerminalText.quoted([credential.relyingPartyName, account])
        + Self.rows(credential.scope, credential.relyingPartyID), registering)
  }

  func mayUse(_ use: CredentialUse) async -> Bool {
    if let key, key != use.credential.credentialID { return false }
    return await agrees(
      "Sign in with this key?\nThe server calls the account:\n"
        + TerminalText.quoted([use.credential.userName])
        + Self.rows(use.scope, use.credential.relyingPartyID, key: use.credential),
      "Sign in as \(Self.short(username ?? use.credential.userName)) at \(TerminalText.address(server, columns: 32))"
    )
  }

  private static func rows(
    _ scope: CredentialScope?, _ relyingPartyID: String, key: PublicKeyCredentialSource? = nil
  ) -> String {
    TerminalText.rows([
      ("Relying party", relyingPartyID), ("Server", scope.map { TerminalText.address($0.server) } ?? ""),
      ("Realm", scope?.realm?.trimmedRealm ?? ""),
      ("Key", key?.credentialID ?? ""), ("Made", key.map { Times.text($0.createdAt) } ?? ""),
    ])
  }

  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    if let key {
      // A name on the command line is not consent; the fingerprint or password that such a key requires is.
      guard let named = credentials.first(where: { $0.credentialID == key }) else { return nil }
      if named.requiresUserVerification { return named }
      return await mayUse(CredentialUse(credential: named, scope: named.scope)) ? named : nil
    }
    let relyingParty = printable(credentials.first?.relyingPartyID ?? "")
    let list = credentials.enumerated()
      .map { "  \($0 + 1) | \(TerminalText.line("\($1.userName), \($1.otherUI)", columns: 70))\n" }.joined()
    switch await Terminal.controlling.ask(
      "Sign in at \(relyingParty) with which key?\n\(list)Number: ", echoes: true)
    {
    case .text(let text):
      guard let number = Int(text.filter { !$0.isWhitespace }), number > 0, number <= credentials.count else {
        return nil
      }
      return credentials[number - 1]
    case .cancelled: return nil
    case .unavailable(let reason):
      Output.remark("There are several keys, and nobody can be asked: \(reason). Name one with --key.")
      return nil
    }
  }

  /// - Parameters:
  ///   - facts: Lines above the question.
  ///   - question: One line from the device's own data: what, for whom and where.
  private func agrees(_ facts: String, _ question: String) async -> Bool {
    guard !isAnswered else {
      Output.remark("\(facts)Agreed by --yes.")
      return true
    }
    switch await Terminal.controlling.askYesNo(facts + question) {
    case .yes: return true
    case .no, .cancelled: return false
    case .unavailable(let reason):
      Output.remark("Nobody can be asked: \(reason). Run this on a terminal, or agree with --yes.")
      return false
    }
  }
}

/// Explains a failed ceremony to the user, with the next step.
func explain(_ error: WebAuthnError) -> CommandFailure {
  if let error = error.platformError() as? SecurityKeyError { return explain(error) }
  let reason = printable(sentence(error.localizedDescription))
  if Terminal.controlling.unasked != nil, case .notAllowed = error { return unverified }
  return switch error {
  case .invalidState:
    CommandFailure.conflict("This device is registered already. `sealring passkey list` shows its keys.")
  case .timeout: CommandFailure.expired("The time for this step ran out. Run the command again.")
  case .cancelled:
    Terminal.controlling.unasked == nil ? .cancelled(because: "no key was made or used") : unverified
  case .notAllowed(platformError: is RelyingPartyError, _):
    CommandFailure.forbidden(
      "Refused on this device: \(reason) Check --server, and whether this is the server that you mean; --relying-party allows one "
        + "that has another name."
    )
  case .notAllowed:
    CommandFailure.notFound(
      "Refused on this device: \(reason) `sealring passkey list` shows its keys, `sealring passkey register` makes one."
    )
  case .unsupported, .constraint: CommandFailure.unsupported("This device cannot do that: \(reason)")
  case .badData, .badOperation, .unknown:
    CommandFailure("The key could not be made or used: \(reason)")
  }
}

/// Explains a failure of a security key; its text has the next step.
private func explain(_ error: SecurityKeyError) -> CommandFailure {
  let reason = printable(error.localizedDescription)
  return switch error {
  case .noKey, .noCredential: .notFound(reason)
  case .registered: .conflict(reason)
  case .severalKeys: .usage("\(reason) Here that is --security-key PATH.")
  case .notPermitted: .forbidden(reason)
  case .wrongPIN: .wrongSecret(reason)
  case .pinPaused, .pinBlocked: .locked(reason)
  case .untouched: .expired(reason)
  case .noPIN:
    Terminal.controlling.unasked.map {
      .nobodyToAsk(
        "The security key's PIN is needed", $0.reason,
        "Pass it with --authenticator security-key and --pin-stdin, or run this on a terminal.")
    } ?? .cancelled(reason)
  case .declined: .cancelled(reason)
  case .unusable, .pinNotSet, .full: .unsupported(reason)
  case .removed, .misbehaved: CommandFailure(reason)
  }
}

/// The failure when nobody could be asked for consent or a password.
private var unverified: CommandFailure {
  .nobodyToAsk(
    "Declined: no key was made or used, because you have to be asked or verified",
    Terminal.controlling.unasked?.reason ?? "the program has no terminal",
    "Run this on a terminal or with a fingerprint reader; --yes agrees beforehand, and --no-user-verification skips verification "
      + "where the server allows it."
  )
}
