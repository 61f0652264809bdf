internal import Concurrency
internal import PingFido
internal import WebAuthnAuthenticator

/// Asks an app's delegates. They are held weakly; a released delegate counts as a rejection.
// Delegates need not be Sendable. Each reference is set once. They are called as their documentation says: on the main thread on
// Apple's systems, elsewhere on no particular thread.
final class DelegateConsent: AuthenticatorConsent, @unchecked Sendable {
  private weak let registration: (any PlatformAuthenticatorRegistrationDelegate)?
  private weak let authentication: (any PlatformAuthenticatorAuthenticationDelegate)?

  init(
    registration: (any PlatformAuthenticatorRegistrationDelegate)? = nil,
    authentication: (any PlatformAuthenticatorAuthenticationDelegate)? = nil
  ) {
    self.registration = registration
    self.authentication = authentication
  }

  func mayRevealExcludedCredential() async -> Bool {
    await asked { answer in
      guard let delegate = self.registration else { return answer(.reject) }
      delegate.excludeCredentialDescriptorConsent(consentCallback: answer)
    }
  }

  func mayCreate(_ credential: CredentialDescription) async -> Bool {
    await asked { answer in
      guard let delegate = self.registration else { return answer(.reject) }
      delegate.createNewCredentialConsent(
        keyName: credential.keyName, rpName: credential.relyingPartyName, rpId: credential.relyingPartyID,
        userName: credential.userName, userDisplayName: credential.userDisplayName, consentCallback: answer)
    }
  }

  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    let named = Self.named(credentials)
    let name: String? = await first { answer in
      guard let delegate = self.authentication else { return answer(nil) }
      delegate.selectCredential(keyNames: named.keys.sorted(), selectionCallback: answer)
    }
    return name.flatMap { named[$0] }
  }

  func mayUse(_ use: CredentialUse) async -> Bool {
    await asked { answer in
      guard let delegate = self.authentication else { return answer(.reject) }
      delegate.useCredentialConsent(
        keyName: use.credential.otherUI, rpId: use.credential.relyingPartyID,
        userName: use.credential.userName, consentCallback: answer)
    }
  }

  /// Tells the delegate about passkeys, and returns when the delegate's method has returned.
  func tellOfPasskeys() async {
    let _: Bool = await first { answer in
      self.authentication?.localKeyExistsAndPasskeysAreAvailable()
      answer(true)
    }
  }

  /// The credentials by distinct names: two keys may have been made in the same second.
  private static func named(_ credentials: [PublicKeyCredentialSource]) -> [String: PublicKeyCredentialSource]
  {
    var named: [String: PublicKeyCredentialSource] = [:]
    for credential in credentials {
      var (name, number) = (credential.otherUI, 1)
      while named[name] != nil {
        number += 1
        name = "\(credential.otherUI) [\(number)]"
      }
      named[name] = credential
    }
    return named
  }

  private func asked(
    _ question: @escaping @Sendable (@escaping WebAuthnUserConsentCallback) -> Void
  ) async -> Bool {
    await first { answer in question { answer($0) } } == WebAuthnUserConsentResult.allow
  }

  /// The first answer to `question`. A delegate that never answers is abandoned when the caller stops waiting.
  private func first<Answer: Sendable>(
    _ question: @escaping @Sendable (@escaping @Sendable (Answer) -> Void) -> Void
  ) async -> Answer {
    let first = FirstAnswer<Answer>()
    #if canImport(UIKit)
      await MainActor.run { question { first.give($0) } }
    #else
      question { first.give($0) }
    #endif
    return await first.value
  }
}
