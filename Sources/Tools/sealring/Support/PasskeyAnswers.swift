import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import PingFido
import TerminalPrompts
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM
import WebAuthnAuthenticator

/// Options of the commands that use this device's authenticator.
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

  @Flag(help: "Agree to everything that would be asked, for scripts.")
  var yes = false

  @Flag(help: "Skip verification by fingerprint or password, for scripts. Servers that require it refuse.")
  var noUserVerification = false

  /// What ceremonies work with.
  ///
  /// - Parameters:
  ///   - server: Who asks.
  ///   - username: For whom, as far as the command says it.
  func config(
    _ store: StoreChoice = .auto, key: String? = nil, server: ServerOptions, username: String?
  ) throws -> FidoConfig {
    FidoConfig(
      keyStore: try chip.keyStore(store), verifiers: noUserVerification ? UserVerifiers() : Self.verifiers,
      origin: origin,
      consent: PasskeyConsent(
        isAnswered: yes, key: key, server: server.baseAddress, username: username),
      relyingPartyIDs: Set(relyingParty))
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

/// Asks on the terminal, or has the answers of --yes and --key.
struct PasskeyConsent: AuthenticatorConsent {
  let isAnswered: Bool
  /// The key that was named beforehand.
  let key: String?
  /// The server's address, as this device knows it.
  let server: String
  /// The account that the command names.
  let username: String?

  // Does not tell that the device is registered: whether the server learns it is what the question is about.
  func mayRevealExcludedCredential() async -> Bool { await agrees("Register a key?\n", registering) }

  private var registering: String {
    "Make a key of this device\(username.map { " for \(Self.short($0))" } ?? "") at \(TerminalText.address(server, columns: 32))"
  }

  /// A part of a question that stays on one line of a terminal.
  private static func short(_ text: String) -> String { TerminalText.line(text, columns: 32) }

  // What the device knows stands below what the server wrote, next to the question.
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
      ("Realm", scope?.realm ?? ""),
      ("Key", key?.credentialID ?? ""), ("Made", key.map { Times.text($0.createdAt) } ?? ""),
    ])
  }

  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    if let key {
      // A name on the command line is not a consent; the finger or password that such a key asks for is.
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
  ///   - question: In one line: what, for whom and where, of what this device itself knows.
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

/// What a failed ceremony means for the person, and what to do next.
func explain(_ error: WebAuthnError) -> CommandFailure {
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

/// Nobody could be asked for consent or a password.
private var unverified: CommandFailure {
  .nobodyToAsk(
    "Declined: no key was made or used, because you have to be asked or verified",
    Terminal.controlling.unasked?.reason ?? "the program has no terminal",
    "Run this on a terminal or with a fingerprint reader; --yes agrees beforehand, and --no-user-verification skips verification "
      + "where the server allows it."
  )
}
