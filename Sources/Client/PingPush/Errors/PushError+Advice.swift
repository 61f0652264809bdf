internal import Foundation

extension PushError {
  /// Why it failed, without the case's values. Never `nil`.
  public var failureReason: String? {
    switch self {
    case .notInitialized: "close() was called on the client."
    case .initializationFailed: "A setting cannot be used, or the storage cannot be opened."
    case .invalidUri: "A part of the address is missing or malformed, or its server is not reached by https."
    case .missingRequiredParameter: "The request to the server needs this parameter."
    case .invalidParameterValue: "The value is empty, malformed, or not what the notification asks for."
    case .uriFormatting: "The credential's secret or its server's address cannot be written."
    case .invalidPushType: "The name is not that of a push type."
    case .invalidPlatform: "The name is not that of a platform."
    case .storageFailure: "A record could not be read, written or removed."
    case .deviceTokenNotSet: "The server needs the token under which the push service reaches this device."
    case .noHandlerForPlatform: "No handler has this key."
    case .messageParsingFailed: "The message is malformed, or the credential's server did not sign it."
    case .credentialNotFound: "It was deleted, or never registered on this device."
    case .credentialLocked: "This device does not currently meet a policy of the credential."
    case .notificationNotFound:
      "It was removed by a cleanup or with its credential, or never received on this device."
    case .policyViolation: "The server requires something that this device does not have."
    case .registrationFailed: "The server did not accept the device."
    case .networkFailure: "The server was not reached, or answered with an error."
    case .duplicateCredential: "An account has one credential on each device."
    case .pushNumberChallengeError: "It is not the number or code that the sign-in page shows."
    }
  }

  /// What to do about it. Never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .notInitialized: "Create a new client with PushClient.createClient."
    case .initializationFailed:
      "Correct the setting that the description names, then create the client again."
    case .invalidUri: "Let the server show a new enrolment code, and scan that one."
    case .missingRequiredParameter:
      "Pass the parameter; a user's name comes with the enrolment or with any message."
    case .invalidParameterValue: "Correct the value, then call again. Nothing was sent."
    case .uriFormatting: "Enrol the device again, and use the new credential."
    case .invalidPushType: "Use default, challenge or biometric."
    case .invalidPlatform: "Use pingam."
    case .storageFailure: "Make room or unlock the device, then try again. Stored credentials are unchanged."
    case .deviceTokenNotSet: "Call setDeviceToken with the push service's token, then try again."
    case .noHandlerForPlatform:
      "Add the handler to customPushHandlers under this key, and create the client again."
    case .messageParsingFailed: "Do not show it. If real messages are refused, enrol the device again."
    case .credentialNotFound: "Enrol the device again."
    case .credentialLocked:
      "Restore what the policy asks for; the credential unlocks by itself. It can still deny."
    case .notificationNotFound: "List the notifications again, and answer one of those."
    case .policyViolation: "Restore what the policy asks for, or enrol another device."
    case .registrationFailed: "Let the server show a new enrolment code, then try again."
    case .networkFailure: "Check the connection, then try again. The question is still open."
    case .duplicateCredential: "Delete the stored credential, then enrol again."
    case .pushNumberChallengeError: "Compare it with the sign-in page and answer again, or deny."
    }
  }
}

extension PushStorageError {
  /// Why it failed, without the case's values. Never `nil`.
  public var failureReason: String? {
    switch self {
    case .storageFailure: "The file or keychain item could not be read, written or removed."
    case .duplicateCredential: "Another credential has this id."
    case .duplicateNotification: "The message was received before."
    }
  }

  /// What to do about it. Never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .storageFailure: "Make room or unlock the device, then try again. Nothing was changed."
    case .duplicateCredential: "Delete the stored credential, or store this one under another id."
    case .duplicateNotification: "Use the stored notification."
    }
  }
}
