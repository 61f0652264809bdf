import ArgumentParser
import DeviceKeys
import Foundation
import PingBinding
import PingFido
import UserVerification
import UserVerificationFprintd
import UserVerificationPAM
import WebAuthnAuthenticator

/// Options of the commands that use this device's authenticator.
struct PasskeyOptions: ParsableArguments {
  @OptionGroup var chip: ChipOptions

  @Option(
    help:
      "The origin that signed data name, one of the node's origin domains. Default: https://, then the relying party's id."
  )
  var origin: String?

  @Flag(help: "Agree to what would be asked, for scripts.")
  var yes = false

  @Flag(help: "Verify nobody by fingerprint or password, for scripts. Servers that require it refuse.")
  var noUserVerification = false

  /// What ceremonies work with.
  func config(_ store: StoreChoice = .auto, key: String? = nil) throws -> FidoConfig {
    FidoConfig(
      keyStore: try chip.keyStore(store), verifiers: noUserVerification ? UserVerifiers() : Self.verifiers,
      origin: origin, consent: PasskeyConsent(isAnswered: yes, key: key))
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

  // Does not tell that the device is registered: whether the server learns it is what the question is about.
  func mayRevealExcludedCredential() async -> Bool { await agrees("Register a key?") }

  func mayCreate(_ credential: CredentialDescription) async -> Bool {
    await agrees(
      """
      Register a key?
        At:   \(printable(credential.relyingPartyName)) (\(printable(credential.relyingPartyID)))
        For:  \(printable(credential.userName)) (\(printable(credential.userDisplayName)))
        Name: \(printable(credential.keyName))
      """)
  }

  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    if let key { return credentials.first { $0.credentialID == key } }
    let list = credentials.enumerated()
      .map { "  \($0 + 1)  \(printable($1.otherUI)), \(printable($1.userName))\n" }.joined()
    switch await Terminal.controlling.ask("Which key?\n\(list)Number: ", echoes: true) {
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

  private func agrees(_ question: String) async -> Bool {
    guard !isAnswered else {
      Output.remark("\(question)\nAgreed by --yes.")
      return true
    }
    switch await Terminal.controlling.ask("\(question)\n(y/n): ", echoes: true) {
    case .text(let answer):
      return ["y", "yes"].contains(answer.lowercased().filter { !$0.isWhitespace })
    case .cancelled: return false
    case .unavailable(let reason):
      Output.remark("Nobody can be asked: \(reason). Run this on a terminal, or agree with --yes.")
      return false
    }
  }
}

/// What a failed ceremony means for the person, and what to do next.
func explain(_ error: WebAuthnError) -> String {
  let reason = printable(error.localizedDescription)
  return switch error {
  case .invalidState: "This device is registered already. `sealring passkey list` shows its keys."
  case .timeout: "The time for this step ran out. Run the command again."
  case .cancelled: "Declined: no key was made. Run the command again when ready."
  case .notAllowed:
    "Refused on this device: \(sentence(reason)) `sealring passkey register` makes a key where there is none."
  case .unsupported, .constraint: "This device cannot do that: \(sentence(reason))"
  case .badData, .badOperation, .unknown: "The key could not be made or used: \(sentence(reason))"
  }
}
