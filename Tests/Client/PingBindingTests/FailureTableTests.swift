import DeviceKeys
import Foundation
import PrivateFiles
import Testing
import UserVerification

@testable import PingBinding

/// Every way to fail, with what the app sees, what it reads, and what the server is told.
@Suite struct FailureTableTests {
  struct Row: Sendable {
    let cause: any Error
    let status: DeviceBindingStatus
    let message: String
    let clientError: String

    init(_ cause: any Error, _ status: DeviceBindingStatus, _ message: String, _ clientError: String) {
      self.cause = cause
      self.status = status
      self.message = message
      self.clientError = clientError
    }
  }

  struct Unforeseen: Error {}

  static let readerGone =
    "The fingerprint reader went away during the scan. Connect the reader and try again."
  static let notSupported = "Device not supported. Please verify the biometric or Pin settings"
  static let rows: [Row] = [
    Row(DeviceBindingError.deviceNotSupported, .unsupported(errorMessage: nil), notSupported, "Unsupported"),
    Row(
      DeviceBindingError.unsupported(errorMessage: "m"), .unsupported(errorMessage: "m"), "m", "Unsupported"),
    Row(DeviceBindingError.timeout, .timeout, "Authentication Timeout", "Timeout"),
    Row(DeviceBindingError.userCanceled, .abort, "User Terminates the Authentication", "Abort"),
    Row(
      DeviceBindingError.deviceNotRegistered, .clientNotRegistered,
      "PublicKey or PrivateKey Not found in Device", "ClientNotRegistered"),
    Row(DeviceBindingError.authenticationFailed, .unAuthorize, "Invalid Credentials", "Abort"),
    Row(DeviceBindingError.biometricError(Unforeseen()), .unAuthorize, "Invalid Credentials", "Abort"),
    Row(DeviceBindingError.invalidClaim, .invalidCustomClaims, "Invalid Custom Claims", "Abort"),
    Row(DeviceBindingError.unknown, .abort, "User Terminates the Authentication", "Abort"),
    Row(Unforeseen(), .abort, "User Terminates the Authentication", "Abort"),
    Row(CancellationError(), .abort, "User Terminates the Authentication", "Abort"),
    Row(DeviceBindingStatus.timeout, .timeout, "Authentication Timeout", "Timeout"),
    Row(
      DeviceKeyError.notFound(tag: "t"), .clientNotRegistered, "PublicKey or PrivateKey Not found in Device",
      "ClientNotRegistered"),
    Row(
      DeviceKeyError.lost(tag: "t", reason: "r"), .clientNotRegistered,
      "PublicKey or PrivateKey Not found in Device", "ClientNotRegistered"),
    Row(DeviceKeyError.wrongPIN(tag: "t"), .unAuthorize, "Invalid Credentials", "Abort"),
    Row(
      DeviceKeyError.lockedOut(tag: "t", retryAfter: 60), .unAuthorize, "Invalid Credentials", "Abort"),
    Row(
      DeviceKeyError.disabled(tag: "t"), .clientNotRegistered, "PublicKey or PrivateKey Not found in Device",
      "ClientNotRegistered"),
    Row(
      KeyInvalidated(reason: "r"), .clientNotRegistered, "PublicKey or PrivateKey Not found in Device",
      "ClientNotRegistered"),
    Row(UserVerificationError.canceled, .abort, "User Terminates the Authentication", "Abort"),
    Row(UserVerificationError.notRecognised, .unAuthorize, "Invalid Credentials", "Abort"),
    Row(UserVerificationError.lockedOut("r"), .unAuthorize, "Invalid Credentials", "Abort"),
    Row(
      UserVerificationError.readerGone, .unsupported(errorMessage: readerGone), readerGone, "Unsupported"),
    Row(DeviceKeyError.unsupported("m"), .unsupported(errorMessage: "m"), "m", "Unsupported"),
  ]

  @Test(arguments: rows)
  func `each cause has its row`(row: Row) {
    let status = DeviceBindingStatus(cause: row.cause)
    #expect(status == row.status)
    #expect(status.errorMessage == row.message)
    #expect(status.localizedDescription == row.message)
    #expect(status.clientError == row.clientError)
    if let error = row.cause as? DeviceBindingError { #expect(error.toClientError() == row.clientError) }
  }

  @Test(arguments: [
    DeviceKeyError.unreadable(path: "/keys/a", reason: "r") as any Error,
    DeviceKeyError.unwritable(path: "/keys/a", reason: "r"),
    FileStorageError.unreadable(path: "/keys/a", reason: "r"), FileStorageError.locked(path: "/keys/a"),
  ])
  func `a file that cannot be used is named`(cause: any Error) {
    let status = DeviceBindingStatus(cause: cause)
    #expect(status.clientError == "Unsupported")
    #expect(status.errorMessage.contains("/keys/a"))
  }
}
