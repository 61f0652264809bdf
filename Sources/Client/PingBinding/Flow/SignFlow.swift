internal import BindingFormats
internal import Concurrency
internal import DeviceKeys
internal import Foundation
internal import PingLogger
internal import SigningTransactions

/// `sign()`: signs the server's challenge with a bound key.
struct SignFlow {
  /// What the server asks for.
  struct Request: Sendable {
    /// `nil` when the server does not know the user yet.
    var userID: String?
    /// `nil` when the callback has none.
    var challenge: Challenge?
  }

  let request: Request
  let dependencies: BindingDependencies

  /// What the server is answered.
  struct Answer: Sendable {
    var jws: String
    /// What is left to do when the server has accepted the signature.
    var takeOver: KeyTakeOver?
  }

  func run() async throws -> Answer {
    _ = try CustomClaims(dependencies.config.claims)
    guard let challenge = request.challenge else {
      throw DeviceBindingError.unsupported(errorMessage: "The server's signing callback has no challenge.")
    }
    let keyStore = try dependencies.keyStore()
    await BindingMigration.beforeUse(of: dependencies.config.userKeyStorage, logger: dependencies.logger)
    let userKey = try await chooseKey(for: challenge)
    let authenticator = try await dependencies.authenticator(
      type: userKey.authType, userID: userKey.userId, keyStore: keyStore, isBinding: false,
      account: userKey.username)
    guard authenticator.validateCustomClaims(dependencies.config.claims) else {
      throw DeviceBindingError.invalidClaim
    }
    guard authenticator.isSupported(attestation: .none) else {
      throw authenticator.unsupportedError(attestation: .none)
    }
    // From here on the transaction has been approved, or is shown by the PIN's prompt that unlocks the key.
    try await confirm(challenge, with: authenticator)
    do {
      return Answer(
        jws: try await unlockAndSign(challenge, userKey, with: authenticator),
        takeOver: KeyTakeOver(of: userKey, by: dependencies))
    } catch {
      guard let reason = Self.invalidation(error) else { throw error }
      dependencies.logger.w("The key \(userKey.kid) is removed: \(reason)", error: nil)
      let keys = KeyRemoval(
        keyStore: keyStore, vault: dependencies.vault(), storage: dependencies.storage,
        logger: dependencies.logger)
      await keys.removeInvalidated(kid: userKey.kid)
      throw error
    }
  }

  /// Why `error` means that the key will never sign again; `nil` when it may.
  ///
  /// Only what the key store itself has ended is over. A changed set of fingers may be restored, another reader or chip taken away
  /// again: such keys are kept until the person decides, or a server has taken a new one.
  private static func invalidation(_ error: any Error) -> String? {
    if case DeviceKeyError.disabled = error { "too many wrong PINs were entered" } else { nil }
  }

  /// The key to sign with; the person chooses when there are several, of several users or of one.
  private func chooseKey(for challenge: Challenge) async throws -> UserKey {
    let userID = request.userID.flatMap { $0.isEmpty ? nil : $0 }
    let keys = try await dependencies.storage.find(in: dependencies.scope, userId: userID)
    guard let newest = keys.first else { throw DeviceBindingError.deviceNotRegistered }
    guard keys.count > 1 else { return newest }
    let (selector, prompt) = (
      Transferred(dependencies.config.userKeySelector), dependencies.prompt(account: nil)
    )
    let isOurs = selector.value is DefaultUserKeySelector
    guard
      challenge.transaction == nil || dependencies.config.transactionConfirmation != nil
        || selector.value.showsTransactions
    else { throw TransactionNotShown.selector }
    let chosen = try await dependencies.deadline.run(abandoning: !isOurs) {
      await selector.value.selectKey(userKeys: keys, prompt: prompt)
    }
    guard let chosen else { throw DeviceBindingError.userCanceled }
    // What the selector returns is looked up, not believed.
    guard let key = keys.first(where: { $0.kid == chosen.kid }) else {
      throw DeviceBindingError.deviceNotRegistered
    }
    return key
  }

  /// Has the person approve the transaction, where no prompt of the authenticator is known to show it.
  ///
  /// - Throws: ``TransactionNotShown`` when only a prompt of the app's could show it, and does not say that it does.
  private func confirm(_ challenge: Challenge, with authenticator: any DeviceAuthenticator) async throws {
    guard let transaction = challenge.transaction?.transaction else { return }
    let isApproved: Bool
    if let confirmation = dependencies.config.transactionConfirmation {
      let transferred = Transferred(confirmation)
      isApproved = try await dependencies.deadline.run(abandoning: true) {
        await transferred.value(transaction)
      }
    } else if let authenticator = authenticator as? AppPinAuthenticator {
      guard authenticator.showsTransactions else { throw TransactionNotShown.pinCollector }
      return
    } else {
      let prompt = dependencies.prompt
      isApproved = try await dependencies.deadline.run(abandoning: false) {
        try await DefaultTransactionConfirmation().confirm(transaction, prompt: prompt)
      }
    }
    guard isApproved else { throw DeviceBindingError.userCanceled }
    // Shown in full once: the PIN's prompt refers to it.
    (authenticator as? AppPinAuthenticator)?.isTransactionApproved = true
  }

  private func unlockAndSign(
    _ challenge: Challenge, _ userKey: UserKey, with authenticator: any DeviceAuthenticator
  ) async throws -> String {
    let config = dependencies.config
    if let authenticator = authenticator as? any OneStepAuthenticator {
      let transferred = Transferred(
        (
          authenticator,
          OneStepRequest(
            userKey: userKey, challenge: challenge.wire,
            expiration: config.expirationTime(dependencies.timeout),
            customClaims: config.claims, applicationId: dependencies.applicationID,
            transactionID: challenge.transaction?.id)
        ))
      return try await dependencies.deadline.run(abandoning: true) {
        try await onOwnThread { try transferred.value.0.sign(transferred.value.1) }
      }
    }
    let transferred = Transferred(authenticator)
    let key = try await dependencies.deadline.run(abandoning: !authenticator.isOurs) {
      let opened: Result<any DeviceKey, any Error> = await transferred.value.authenticate(
        keyTag: userKey.keyTag)
      return try opened.get()
    }
    return try await sign(challenge, userKey, key, with: authenticator)
  }

  private func sign(
    _ challenge: Challenge, _ userKey: UserKey, _ key: any DeviceKey,
    with authenticator: any DeviceAuthenticator
  ) async throws -> String {
    let config = dependencies.config
    var parameters = UserKeySigningParameters(
      userKey: userKey, privateKey: key, publicKey: key.publicKey, challenge: challenge.wire,
      issueTime: config.issueTime(), notBeforeTime: config.notBeforeTime(),
      expiration: config.expirationTime(dependencies.timeout), customClaims: config.claims,
      applicationId: dependencies.applicationID)
    parameters.transactionID = challenge.transaction?.id
    let transferred = Transferred((authenticator, parameters, dependencies.journey))
    return try await dependencies.deadline.run(abandoning: !authenticator.isOurs) {
      try await transferred.value.0.proof(transferred.value.1, journey: transferred.value.2)
    }
  }
}
