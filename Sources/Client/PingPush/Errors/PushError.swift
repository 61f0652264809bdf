public import Foundation
internal import PingLogger

/// Why a push operation failed. Messages never contain secrets, challenges or tokens.
public enum PushError: LocalizedError, Sendable {
  /// The client was closed. Create a new one.
  case notInitialized

  /// The client could not be created; the text gives the reason.
  case initializationFailed(String, (any Error)?)

  /// The enrolment address is unusable; the text names the part.
  case invalidUri(String)

  /// A parameter that the handler needs is missing; the text is its name.
  case missingRequiredParameter(String)

  /// A value was refused before anything was sent; the text names it and the reason.
  case invalidParameterValue(String)

  /// A credential cannot be written as an address.
  case uriFormatting(String)

  /// No push type has this name.
  case invalidPushType(String)

  /// No platform has this name.
  case invalidPlatform(String)

  /// The storage failed; nothing unsaved was acknowledged.
  case storageFailure(String, (any Error)?)

  /// The push service's token is not known yet: call `setDeviceToken` first.
  case deviceTokenNotSet

  /// No handler is registered for the platform of this name.
  case noHandlerForPlatform(String)

  /// The message cannot be read, or was not signed by the credential's server.
  case messageParsingFailed(String)

  /// No credential on the device has this id.
  case credentialNotFound(String)

  /// The credential of this id is locked by a policy.
  case credentialLocked(String)

  /// No notification on the device has this id.
  case notificationNotFound(String)

  /// A policy forbids the enrolment on this device; the text is the policy's name.
  case policyViolation(String)

  /// The handler did not register the credential.
  case registrationFailed(String)

  /// The server could not be reached, or refused; the text contains its status.
  case networkFailure(String, (any Error)?)

  /// Another credential has this issuer and account.
  case duplicateCredential(issuer: String, accountName: String)

  /// The server refused the number or code that was entered. The notification is still pending.
  case pushNumberChallengeError(String)

  // These are the published SDK's sentences; `recoverySuggestion` says what to do.
  public var errorDescription: String? {
    switch self {
    case .notInitialized: "Push client not initialized"
    case .initializationFailed(let detail, let cause):
      "Push client initialization failed: \(detail)" + text(of: cause)
    case .invalidUri(let detail): "Invalid URI: \(detail)"
    case .missingRequiredParameter(let name): "Missing required parameter: \(name)"
    case .invalidParameterValue(let detail): "Invalid parameter value: \(detail)"
    case .uriFormatting(let detail): "URI formatting error: \(detail)"
    case .invalidPushType(let name): "Invalid push type: \(name)"
    case .invalidPlatform(let name): "Invalid platform: \(name)"
    case .storageFailure(let detail, let cause): "Storage failure: \(detail)" + text(of: cause)
    case .deviceTokenNotSet:
      "Device token not set: call setDeviceToken with the push service's token, then try again"
    case .noHandlerForPlatform(let name): "No handler for platform: \(name)"
    case .messageParsingFailed(let detail): "Message parsing failed: \(detail)"
    case .credentialNotFound(let id): "Credential not found: \(id)"
    case .credentialLocked(let id): "Credential is locked: \(id)"
    case .notificationNotFound(let id): "Notification not found: \(id)"
    case .policyViolation(let name): "Policy violation: \(name)"
    case .registrationFailed(let detail): "Registration failed: \(detail)"
    case .networkFailure(let detail, let cause): "Network failure: \(detail)" + text(of: cause)
    case .duplicateCredential(let issuer, let account):
      "Duplicate credential: \(account.debugDescription) at \(issuer.debugDescription)"
    case .pushNumberChallengeError(let detail): "Number challenge failed: \(detail)"
    }
  }
}

/// Why a ``PushStorage`` failed.
public enum PushStorageError: LocalizedError, Sendable {
  /// A record could not be read, written or removed. Nothing was changed.
  case storageFailure(String, (any Error)?)

  /// Another credential has this id.
  case duplicateCredential(String)

  /// Another notification has this message id.
  case duplicateNotification(String)

  public var errorDescription: String? {
    switch self {
    case .storageFailure(let detail, let cause): "Storage failure: \(detail)" + text(of: cause)
    case .duplicateCredential(let id): "Duplicate credential: \(id)"
    case .duplicateNotification(let id): "Duplicate notification: \(id)"
    }
  }
}

private func text(of cause: (any Error)?) -> String {
  cause.map { ": \($0.ownText)" } ?? ""
}

/// Runs a call of the storage; an error that is not a ``PushError`` becomes ``PushError/storageFailure(_:_:)``.
func storing<Value>(_ what: String, _ body: () async throws -> Value) async throws -> Value {
  do { return try await body() } catch let error as PushError { throw error } catch {
    throw PushError.storageFailure(what, error)
  }
}
