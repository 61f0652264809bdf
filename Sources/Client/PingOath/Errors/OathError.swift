public import Foundation
internal import PingLogger

/// Why an operation with one-time codes failed. Messages never contain secrets or codes.
public enum OathError: LocalizedError, Sendable {
  /// No credential on the device has this id.
  case credentialNotFound(String)

  /// The credential of this id is locked by a policy.
  case credentialLocked(String)

  /// Another credential has the same issuer and account; the text names them.
  case duplicateCredential(String)

  /// The enrolment address is unusable; the text names the part.
  case invalidUri(String)

  /// A required parameter is missing; the text is its name.
  case missingRequiredParameter(String)

  /// A value is invalid; the text names it and the reason.
  case invalidParameterValue(String)

  /// A credential cannot be written as an address.
  case uriFormatting(String)

  /// The secret is not Base32, or too short or long.
  case invalidSecret(String)

  /// No type of codes has this name.
  case invalidOathType(String)

  /// No algorithm has this name.
  case invalidAlgorithm(String)

  /// No code was generated. The counter may have advanced.
  case codeGenerationFailed(String, (any Error)? = nil)

  /// A policy forbids the enrolment on this device. The texts are what was refused, and the policy's name.
  case policyViolation(String, String)

  /// The client could not be created.
  case initializationFailed(String, (any Error)? = nil)

  /// Not everything was removed.
  case cleanupFailed(String, (any Error)? = nil)

  // As in PingPush, these are the published SDK's sentences; `recoverySuggestion` says what to do.
  public var errorDescription: String? {
    switch self {
    case .credentialNotFound(let id): "Credential not found: \(id)"
    case .credentialLocked(let id): "Credential is locked: \(id)"
    case .duplicateCredential(let name): "Duplicate credential: \(name)"
    case .invalidUri(let detail): "Invalid URI: \(detail)"
    case .missingRequiredParameter(let name): "Missing required parameter: \(name)"
    case .invalidParameterValue(let detail): "Invalid parameter value: \(detail)"
    case .uriFormatting(let detail): "URI formatting error: \(detail)"
    case .invalidSecret(let detail): "Invalid secret: \(detail)"
    case .invalidOathType(let detail): "Invalid OATH type: \(detail)"
    case .invalidAlgorithm(let detail): "Invalid algorithm: \(detail)"
    case .codeGenerationFailed(let detail, let cause): "Code generation failed: \(detail)" + text(of: cause)
    case .policyViolation(let detail, let policy): "Policy violation: \(policy): \(detail)"
    case .initializationFailed(let detail, let cause): "Initialization failed: \(detail)" + text(of: cause)
    case .cleanupFailed(let detail, let cause): "Cleanup failed: \(detail)" + text(of: cause)
    }
  }

  public var failureReason: String? {
    switch self {
    case .credentialNotFound: "It was deleted, or never enrolled here."
    case .credentialLocked: "The device does not currently meet the server's policy."
    case .duplicateCredential: "An account has one credential for one-time codes."
    case .invalidUri: "It is not an otpauth or mfauth address, or a part of it is malformed."
    case .missingRequiredParameter: "It is needed to generate codes."
    case .invalidParameterValue: "It is outside the supported range."
    case .uriFormatting: "A value of the credential cannot be used."
    case .invalidSecret: "Secrets are Base32 text of 10 to 128 bytes."
    case .invalidOathType: "The types are totp and hotp."
    case .invalidAlgorithm: "The algorithms are SHA1, SHA256 and SHA512."
    case .codeGenerationFailed: "The storage failed, or there is no next code."
    case .policyViolation: "The device does not meet the server's policy."
    case .initializationFailed: "The configuration or the storage cannot be used."
    case .cleanupFailed: "The storage failed."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .credentialNotFound: "List the credentials, or enrol the account again."
    case .credentialLocked, .policyViolation: "Restore what the policy asks for, then try again."
    case .duplicateCredential: "Delete the old one first to replace it."
    case .invalidUri, .missingRequiredParameter, .invalidParameterValue, .invalidSecret, .invalidOathType,
      .invalidAlgorithm:
      "Ask the service for a new QR code, and scan the whole of it."
    case .uriFormatting: "Enrol the account again."
    case .codeGenerationFailed: "Try again; if the error persists, check the storage."
    case .initializationFailed: "Check the configuration and the storage, then create a new client."
    case .cleanupFailed: "Try again."
    }
  }
}

/// Why an ``OathStorage`` failed.
public enum OathStorageError: LocalizedError, Sendable {
  /// A record could not be read, written or removed. Nothing was changed.
  case storageFailure(String, (any Error)? = nil)

  /// Another credential has the same issuer and account; the text names them.
  case duplicateCredential(String)

  /// A record can no longer be read.
  case storageCorrupted(String)

  /// The system denied this program access to the record.
  case accessDenied(String)

  public var errorDescription: String? {
    switch self {
    case .storageFailure(let detail, let cause): "Storage failure: \(detail)" + text(of: cause)
    case .duplicateCredential(let name): "Duplicate credential: \(name)"
    case .storageCorrupted(let detail): "Storage corrupted: \(detail)"
    case .accessDenied(let detail): "Access denied: \(detail)"
    }
  }

  public var failureReason: String? {
    switch self {
    case .storageFailure: "The file or the keychain could not be read or written."
    case .duplicateCredential: "An account has one credential for one-time codes."
    case .storageCorrupted: "A record was changed by something else, or was encrypted with another key."
    case .accessDenied: "The person or the system refused."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .storageFailure: "Check the permissions and the free space, then try again."
    case .duplicateCredential: "Delete the old one first to replace it."
    case .storageCorrupted: "Restore it from a copy, or delete the credential and enrol again."
    case .accessDenied: "Unlock the device, allow the access, then try again."
    }
  }
}

private func text(of cause: (any Error)?) -> String {
  cause.map { ": \($0.ownText)" } ?? ""
}
