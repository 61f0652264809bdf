import DeviceKeys
import Foundation
import PingBinding
import Testing
import UserVerification

/// What errors say to those who ask for more than a description.
@Suite struct ErrorTextTests {
  private static let statuses: [DeviceBindingStatus] = [
    .timeout, .abort, .unsupported(errorMessage: nil), .unsupported(errorMessage: "No reader."),
    .clientNotRegistered, .unAuthorize, .invalidCustomClaims,
  ]
  private static let bindingErrors: [DeviceBindingError] = [
    .authenticationFailed, .deviceNotSupported, .deviceNotRegistered, .invalidClaim,
    .biometricError(CancellationError()), .userCanceled, .timeout, .unknown,
    .unsupported(errorMessage: "No."),
  ]
  private static let migrationErrors: [MigrationError] = [
    .failedToReadLegacyKeys(CancellationError()), .failedToSaveKeys(CancellationError()),
    .failedToDeleteLegacyData(CancellationError()), .noLegacyDataFound, .alreadyMigrated,
    .invalidLegacyData("no JSON"),
  ]
  private static let keyErrors: [DeviceKeyError] = [
    .notFound(tag: "k"), .exists(tag: "k"), .wrongPIN(tag: "k"), .lockedOut(tag: "k", retryAfter: 15),
    .lockedOut(tag: "k", retryAfter: nil), .disabled(tag: "k"), .lost(tag: "k", reason: "r"), .busy("b"),
    .unsupported("No."), .unreadable(path: "/x", reason: "r"), .unwritable(path: "/x", reason: "r"),
  ]
  private static let vaultErrors: [AuthorizationVaultError] = [
    .notFound(tag: "k"), .exists(tag: "k"), .enrolmentChanged(tag: "k"), .otherReader(tag: "k"),
    .biometricOnly(tag: "k"), .credentialOnly(tag: "k"), .unsupported("No."),
    .unreadable(path: "/x", reason: "r"), .unwritable(path: "/x", reason: "r"),
  ]
  private static let personErrors: [UserVerificationError] = [
    .canceled, .notRecognised, .lockedOut("l"), .readerGone, .readerBusy, .noReader("n"), .notEnrolled,
    .unavailable("u"),
  ]
  private static let pinErrors: [PINPolicyViolation] = [
    .tooShort(minimum: 4), .tooLong(maximum: 128), .notDigits, .controlCharacter, .pattern, .common,
  ]

  @Test func `failure reason and recovery suggestion were nil`() {
    let all: [[any LocalizedError]] = [
      Self.statuses, Self.bindingErrors, Self.migrationErrors, Self.keyErrors, Self.vaultErrors,
      Self.personErrors, Self.pinErrors,
    ]
    for error in all.joined() {
      for text in [error.errorDescription, error.failureReason, error.recoverySuggestion] {
        #expect(text?.isEmpty == false, "\(error)")
      }
    }
  }

  @Test func `the reason of an unsupported device is its message`() {
    #expect(DeviceBindingStatus.unsupported(errorMessage: "No reader.").failureReason == "No reader.")
    #expect(
      DeviceKeyError.lockedOut(tag: "k", retryAfter: 14.2).recoverySuggestion == "Try again in 15 seconds.")
  }
}
