internal import DeviceKeys
internal import UserVerification

/// Why the keychain or LocalAuthentication refused, as far as it matters to us.
enum AppleFailure: Error, Sendable, Hashable {
  /// The person cancelled.
  case canceled
  /// The app or the system took the prompt away.
  case interrupted
  case notRecognised
  /// Biometry is locked until the passcode is entered.
  case biometryLocked
  case biometryNotEnrolled
  case biometryUnavailable
  case noPasscode
  case itemNotFound
  case duplicateItem
  /// The key's condition was not met: the PIN was wrong, or the enrolled set has changed.
  case unauthorized
  /// A prompt was needed and could not be shown, for example because the device is locked.
  case noInteraction
  /// The app may not use the keychain or this access group.
  case missingEntitlement
  case other(Int)

  /// From an `OSStatus` (SecBase.h).
  init(status: Int32) {
    self =
      switch status {
      case -128: .canceled  // errSecUserCanceled
      case -25300: .itemNotFound  // errSecItemNotFound
      case -25299: .duplicateItem  // errSecDuplicateItem
      case -25293: .unauthorized  // errSecAuthFailed
      case -25308: .noInteraction  // errSecInteractionNotAllowed
      case -34018: .missingEntitlement  // errSecMissingEntitlement
      default: .other(Int(status))
      }
  }

  /// From a code of `LAErrorDomain` (LAError.h).
  init(localAuthentication code: Int) {
    self =
      switch code {
      case -1: .notRecognised  // authenticationFailed
      case -2, -3: .canceled  // userCancel; userFallback, where there is no other way to go
      case -4, -9, -10: .interrupted  // systemCancel, appCancel, invalidContext
      case -5: .noPasscode  // passcodeNotSet
      case -6: .biometryUnavailable  // biometryNotAvailable
      case -7: .biometryNotEnrolled  // biometryNotEnrolled
      case -8: .biometryLocked  // biometryLockout
      case -1004: .noInteraction  // notInteractive
      default: .other(code)
      }
  }
}

extension AppleFailure {
  /// The error to throw when the key `tag` was used.
  func error(usingKey tag: String) -> any Error {
    switch self {
    case .itemNotFound:
      DeviceKeyError.lost(tag: tag, reason: Self.whyLost)
    case .unauthorized:
      // The system has asked the person already, or the enrolled set is not that of the key.
      UserVerificationError.notRecognised
    default:
      error(doing: "The key '\(tag)' could not be used")
    }
  }

  /// The error to throw for anything else; `action` says what failed.
  func error(doing action: String) -> any Error {
    switch self {
    case .canceled: UserVerificationError.canceled
    case .interrupted: CancellationError()
    case .notRecognised: UserVerificationError.notRecognised
    case .biometryLocked:
      UserVerificationError.lockedOut("biometry is locked until the device's passcode is entered")
    case .biometryNotEnrolled: UserVerificationError.notEnrolled
    case .biometryUnavailable: UserVerificationError.noReader("it is switched off for this app, or broken")
    case .noPasscode: UserVerificationError.unavailable("it has no passcode")
    case .itemNotFound: DeviceKeyError.unsupported("\(action): the keychain does not have the item.")
    case .duplicateItem: DeviceKeyError.unsupported("\(action): the keychain has such an item already.")
    case .unauthorized: DeviceKeyError.unsupported("\(action): the keychain does not allow it.")
    case .noInteraction:
      DeviceKeyError.busy("\(action), as the device is locked or no prompt may be shown now")
    case .missingEntitlement:
      DeviceKeyError.unsupported(
        "\(action): the app lacks the entitlement for the keychain or the access group. Add it to the target's"
          + " capabilities.")
    case .other(let code): DeviceKeyError.unsupported("\(action): the system answers \(code).")
    }
  }

  /// Whether the failure may mean a wrong PIN. The system has no single code for that, so every failure counts that is not known to be
  /// something else: an uncounted one could be tried without end.
  var mayBeWrongPIN: Bool {
    switch self {
    case .unauthorized, .notRecognised, .other: true
    default: false
    }
  }

  static let whyLost =
    "the keychain no longer has it, which happens when faces or fingers are enrolled or removed, when the passcode is"
    + " switched off, or when a backup is restored to another device"
}
