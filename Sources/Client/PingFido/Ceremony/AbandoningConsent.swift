internal import Concurrency
internal import WebAuthnAuthenticator

/// An app's consent. A cancelled task does not wait for its answer; no answer is a refusal.
struct AbandoningConsent: AuthenticatorConsent {
  let consent: any AuthenticatorConsent

  func mayRevealExcludedCredential() async -> Bool {
    await answer { await consent.mayRevealExcludedCredential() } ?? false
  }

  func mayCreate(_ credential: CredentialDescription) async -> Bool {
    await answer { await consent.mayCreate(credential) } ?? false
  }

  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? {
    await answer { await consent.choose(among: credentials) } ?? nil
  }

  func mayUse(_ use: CredentialUse) async -> Bool {
    await answer { await consent.mayUse(use) } ?? false
  }

  private func answer<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) async -> Value? {
    try? await firstOf(body, orAfter: nil, abandoning: true)
  }
}

/// Refuses everything: no key is made or chosen, and none is used without a verification of the person.
struct NoConsent: AuthenticatorConsent {
  func mayRevealExcludedCredential() async -> Bool { false }
  func mayCreate(_ credential: CredentialDescription) async -> Bool { false }
  func choose(among credentials: [PublicKeyCredentialSource]) async -> PublicKeyCredentialSource? { nil }
}
