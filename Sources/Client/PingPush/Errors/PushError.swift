public import Foundation

/// Why a push operation failed. Texts never hold secrets, challenges or tokens.
public enum PushError: LocalizedError, Sendable {
  /// The client was closed. Make a new one.
  case notInitialized

  /// The client could not be made; the text says what for.
  case initializationFailed(String, (any Error)?)

  /// The enrolment address cannot be used; the text says which part of it.
  case invalidUri(String)

  /// A parameter that the handler needs is absent; the text is its name.
  case missingRequiredParameter(String)

  /// A value was refused before anything was sent; the text says which and why.
  case invalidParameterValue(String)

  /// A credential cannot be written as an address.
  case uriFormatting(String)

  /// There is no push type of this name.
  case invalidPushType(String)

  /// There is no platform of this name.
  case invalidPlatform(String)

  /// The storage failed; nothing was acknowledged that is not stored.
  case storageFailure(String, (any Error)?)

  /// The push service's token is not known yet: call `setDeviceToken` first.
  case deviceTokenNotSet

  /// No handler is registered for the platform of this name.
  case noHandlerForPlatform(String)

  /// The message cannot be read, or was not signed by the credential's server.
  case messageParsingFailed(String)

  /// There is no credential of this id on the device.
  case credentialNotFound(String)

  /// The credential of this id is locked by a policy.
  case credentialLocked(String)

  /// There is no notification of this id on the device.
  case notificationNotFound(String)

  /// The enrolment's policies forbid it on this device; the text is the policy's name.
  case policyViolation(String)

  /// The handler did not register the credential.
  case registrationFailed(String)

  /// The server was not reached, or refused; the text has its status.
  case networkFailure(String, (any Error)?)

  /// There is another credential of this issuer and account.
  case duplicateCredential(issuer: String, accountName: String)

  /// The server refused the number or code that was entered. The notification is still pending.
  case pushNumberChallengeError(String)

  public var errorDescription: String? {
    switch self {
    case .notInitialized:
      "The push client was closed. Create a new one with PushClient.createClient."
    case .initializationFailed(let detail, let cause):
      "The push client could not be created: \(detail)" + text(of: cause)
    case .invalidUri(let detail):
      "The enrolment address cannot be used: \(detail)"
    case .missingRequiredParameter(let name):
      "A required parameter is missing: \(name)"
    case .invalidParameterValue(let detail):
      "A value cannot be used: \(detail)"
    case .uriFormatting(let detail):
      "The credential has no address: \(detail)"
    case .invalidPushType(let name):
      "There is no push type \(name.debugDescription). Use default, challenge or biometric."
    case .invalidPlatform(let name):
      "There is no push platform \(name.debugDescription). Use pingam."
    case .storageFailure(let detail, let cause):
      "The push storage failed: \(detail)" + text(of: cause)
    case .deviceTokenNotSet:
      "There is no device token. Call setDeviceToken with the push service's token, then try again."
    case .noHandlerForPlatform(let name):
      "There is no push handler for \(name.debugDescription). Add one to customPushHandlers."
    case .messageParsingFailed(let detail):
      "The push message was refused: \(detail)"
    case .credentialNotFound(let id):
      "There is no push credential \(id) on this device."
    case .credentialLocked(let id):
      "The push credential \(id) is locked by a policy. Restore what the policy asks for, then try again."
    case .notificationNotFound(let id):
      "There is no push notification \(id) on this device."
    case .policyViolation(let name):
      "A policy forbids to enrol this device: \(name)"
    case .registrationFailed(let detail):
      "The device was not registered: \(detail)"
    case .networkFailure(let detail, let cause):
      "The server could not be used: \(detail)" + text(of: cause)
    case .duplicateCredential(let issuer, let account):
      "There is a push credential for \(account.debugDescription) at \(issuer.debugDescription) already. "
        + "Delete it, then enrol again."
    case .pushNumberChallengeError(let detail):
      "The server refused the number or code: \(detail)"
    }
  }
}

/// Why a ``PushStorage`` failed.
public enum PushStorageError: LocalizedError, Sendable {
  /// A record could not be read, written or removed. Nothing was changed.
  case storageFailure(String, (any Error)?)

  /// There is another credential of this id.
  case duplicateCredential(String)

  /// There is another notification of this message id.
  case duplicateNotification(String)

  public var errorDescription: String? {
    switch self {
    case .storageFailure(let detail, let cause):
      "The push storage failed: \(detail)" + text(of: cause)
    case .duplicateCredential(let id):
      "There is a push credential \(id) already."
    case .duplicateNotification(let id):
      "There is a push notification for message \(id) already."
    }
  }
}

private func text(of cause: (any Error)?) -> String {
  guard let cause else { return "" }
  return ": \((cause as? any LocalizedError)?.errorDescription ?? String(describing: cause))"
}

/// Runs a call of the storage; what it throws becomes ``PushError/storageFailure(_:_:)``.
func storing<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
  do { return try await body() } catch let error as PushError { throw error } catch {
    throw PushError.storageFailure(what, error)
  }
}
