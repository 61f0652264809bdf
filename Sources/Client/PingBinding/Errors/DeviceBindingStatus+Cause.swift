internal import Crypto
internal import DeviceKeys
internal import Foundation
internal import PingStorage
internal import PrivateFiles
internal import UserVerification

extension DeviceBindingStatus {
  /// The status for `cause`: the only place that maps errors to statuses.
  ///
  /// An unexpected error is ``abort``, PingAM's outcome for unknown errors. Errors of this device's keys or files are
  /// ``unsupported(errorMessage:)``, the only status that carries their text.
  package init(cause: any Error) {
    self =
      switch cause {
      case let status as DeviceBindingStatus: status
      case let error as DeviceBindingError: Self.status(of: error)
      case let error as DeviceKeyError: Self.status(of: error)
      case let error as UserVerificationError: Self.status(of: error)
      case let error as AuthorizationVaultError: .unsupported(errorMessage: error.errorDescription)
      case is KeyInvalidated, is KeyOfAnotherUser: .clientNotRegistered
      case let error as FileStorageError: .unsupported(errorMessage: error.errorDescription)
      case let error as KeychainError: .unsupported(errorMessage: error.errorDescription)
      case let error as EncryptorError: .unsupported(errorMessage: error.errorDescription)
      case let error as CryptoKitError: .unsupported(errorMessage: "The key could not be used: \(error)")
      case let error as TransactionMismatch: .unsupported(errorMessage: error.text)
      case let error as TransactionNotShown: .unsupported(errorMessage: error.text)
      case let error as TextNotShown: .unsupported(errorMessage: error.text)
      default: .abort
      }
  }

  private static func status(of error: DeviceBindingError) -> DeviceBindingStatus {
    switch error {
    case .deviceNotSupported: .unsupported(errorMessage: nil)
    case .unsupported(let message): .unsupported(errorMessage: message)
    case .timeout: .timeout
    case .userCanceled, .unknown: .abort
    case .deviceNotRegistered: .clientNotRegistered
    case .authenticationFailed, .biometricError: .unAuthorize
    case .invalidClaim: .invalidCustomClaims
    }
  }

  private static func status(of error: UserVerificationError) -> DeviceBindingStatus {
    switch error {
    case .canceled: .abort
    case .notRecognised, .lockedOut: .unAuthorize
    case .readerGone, .readerBusy, .noReader, .notEnrolled, .unavailable:
      .unsupported(errorMessage: error.sentences)
    }
  }

  private static func status(of error: DeviceKeyError) -> DeviceBindingStatus {
    switch error {
    case .notFound, .lost, .disabled: .clientNotRegistered
    case .wrongPIN, .lockedOut: .unAuthorize
    case .exists, .busy, .unsupported, .unreadable, .unwritable:
      .unsupported(errorMessage: error.errorDescription)
    }
  }
}
