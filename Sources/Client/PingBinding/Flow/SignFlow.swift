internal import BindingFormats
internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import SigningTransactions

/// `sign()`: signs the server's challenge with a bound key.
struct SignFlow {
  /// The server's request.
  struct Request: Sendable {
    /// `nil` when the server does not know the user yet.
    var userID: String?
    /// `nil` when the callback has none.
    var challenge: Challenge?
  }

  let request: Request
  let dependencies: BindingDependencies

  /// The answer to the server.
  struct Answer: Sendable {
    var jws: String
    /// The step that follows when the server has accepted the signature.
    var takeOver: KeyTakeOver?
  }

  func run() async throws -> Answer {
    if dependencies.config.earlierSDK == nil { _ = try CustomClaims(dependencies.config.claims) }
    guard let challenge = request.challenge else {
      throw DeviceBindingError.unsupported(errorMessage: "The server's signing callback has no challenge.")
    }
    let approval = try Approval(of: challenge, dependencies)
    let keyStore = try dependencies.keyStore()
    await BindingMigration.beforeUse(of: dependencies.config.userKeyStorage, logger: dependencies.logger)
    let userKey = try await chooseKey(for: challenge)
    try await UnplacedKey(userKey, asking: dependencies.scope)?.confirm(dependencies)
    let authenticator = try await dependencies.authenticator(
      type: userKey.authType, userID: userKey.userId, keyStore: keyStore, isBinding: false,
      account: userKey.username)
    guard try await dependencies.ask(authenticator, { $0.isSupported(attestation: .none) }) else {
      throw authenticator.unsupportedError(attestation: .none)
    }
    let claims = Transferred(dependencies.config.claims)
    guard try await dependencies.ask(authenticator, { $0.validateCustomClaims(claims.value) }) else {
      throw DeviceBindingError.invalidClaim
    }
    try await requireUnchangedBiometrics(of: userKey, with: authenticator)
    var prompt = dependencies.prompt(account: userKey.username)
    // From here on, readable content has been approved, or the PIN's prompt that unlocks the key shows it.
    if try await approval.ask(
      account: userKey.username, isShown: authenticator.standard?.promptShowsTransactions)
    {
      // The person has seen the content in full, so the PIN's prompt only refers to it.
      prompt.isTransactionApproved = true
      authenticator.standard?.setPrompt(prompt)
    }
    do {
      return Answer(
        jws: try await unlockAndSign(challenge, userKey, with: authenticator, shown: prompt),
        takeOver: KeyTakeOver(of: userKey, by: dependencies))
    } catch {
      guard let reason = Self.invalidation(error) else { throw error }
      dependencies.logger.w("The key \(userKey.kid) is removed: \(reason)", error: nil)
      await dependencies.removal(from: keyStore).removeInvalidated(kid: userKey.kid)
      throw error
    }
  }

  /// Why `error` means that the key will never sign again; `nil` when the key may sign again.
  ///
  /// Only a key that the key store itself has disabled is removed. A changed enrolment may be restored, and the reader or chip may be
  /// swapped back: such keys are kept until the person decides, or a server accepts a new one.
  private static func invalidation(_ error: any Error) -> String? {
    if case DeviceKeyError.disabled = error { "too many wrong PINs were entered" } else { nil }
  }

  /// Refuses a key that was bound while other fingers or faces were enrolled. The key is kept: the earlier set may be restored.
  ///
  /// The system does not report the enrolment while biometrics are locked or missing, but then no biometric unlocks the key, either.
  private func requireUnchangedBiometrics(
    of key: UserKey, with authenticator: any DeviceAuthenticator
  ) async throws {
    guard let bound = key.biometricDomainState,
      let now = try await dependencies.biometricDomainState(authenticator, type: key.authType), now != bound
    else { return }
    throw KeyInvalidated(
      reason: "the enrolled fingers or faces have changed since the key \(key.kid) was bound")
  }

  /// The key to sign with. When there are several, of one user or of more, the person chooses.
  private func chooseKey(for challenge: Challenge) async throws -> UserKey {
    let userID = request.userID.flatMap { $0.isEmpty ? nil : $0 }
    var keys = try await dependencies.storage.find(in: dependencies.scope, userId: userID)
    if let username = dependencies.config.username, !keys.isEmpty {
      keys.removeAll { $0.username.lowercased() != username.lowercased() }
      guard !keys.isEmpty else { throw KeyOfAnotherUser(username: username) }
    }
    guard let newest = keys.first else { throw DeviceBindingError.deviceNotRegistered }
    guard keys.count > 1 else { return newest }
    let selector = dependencies.config.userKeySelector
    guard
      challenge.transaction == nil || dependencies.config.transactionConfirmation != nil
        || selector.showsTransactions
    else { throw TransactionNotShown.selector }
    let (transferred, prompt, offered) = (Transferred(selector), dependencies.prompt(account: nil), keys)
    let chosen = try await dependencies.deadline.run(abandoning: !(selector is DefaultUserKeySelector)) {
      await transferred.value.selectKey(userKeys: offered, prompt: prompt)
    }
    guard let chosen else { throw DeviceBindingError.userCanceled }
    // The app's selector may return any key, so the key is looked up by its id.
    guard let key = keys.first(where: { $0.kid == chosen.kid }) else {
      throw DeviceBindingError.deviceNotRegistered
    }
    return key
  }

  private func unlockAndSign(
    _ challenge: Challenge, _ userKey: UserKey, with authenticator: any DeviceAuthenticator, shown: Prompt
  ) async throws -> String {
    let config = dependencies.config
    if let authenticator = authenticator as? any OneStepAuthenticator {
      let request = OneStepRequest(
        userKey: userKey, challenge: challenge.wire,
        expiration: config.expirationTime(dependencies.timeout), customClaims: config.claims,
        applicationId: dependencies.applicationID, transactionID: challenge.transaction?.id)
      let work = Transferred((authenticator, request))
      return try await dependencies.deadline.run(abandoning: true) {
        let (authenticator, request) = work.value
        return try await authenticator.onOwnThread { try $0.sign(request) }
      }
    }
    let key = try await dependencies.openKey(userKey.keyTag, with: authenticator)
    // An authenticator object of the app's that serves two operations at once shows the prompt of one of them in both.
    if let standard = authenticator.standard, standard.promptShowsTransactions != nil,
      standard.prompt != shown
    {
      throw DeviceBindingError.unsupported(
        errorMessage:
          "Another operation used the same authenticator at the same time, so nothing was signed. Make one for each."
      )
    }
    var parameters = UserKeySigningParameters(
      userKey: userKey, privateKey: key, publicKey: key.publicKey, challenge: challenge.wire,
      issueTime: config.issueTime(), notBeforeTime: config.notBeforeTime(),
      expiration: config.expirationTime(dependencies.timeout), customClaims: config.claims,
      applicationId: dependencies.applicationID)
    parameters.transactionID = challenge.transaction?.id
    let (signed, journey) = (Transferred(parameters), dependencies.journey)
    return try await dependencies.run(authenticator) { try await $0.proof(signed.value, journey: journey) }
  }
}
