import DeviceKeys
import Testing
import UserVerification

@testable import DeviceKeysApple

@Suite("What the codes of Apple's systems mean")
struct AppleFailureTests {
  /// The numbers are those of Apple's LAError.h.
  @Test(
    arguments: [
      (-1, UserVerificationError.notRecognised), (-2, .canceled), (-7, .notEnrolled),
      (-5, .unavailable("it has no passcode")),
      (-8, .lockedOut("biometry is locked until the device's passcode is entered")),
    ])
  func `refusals of LocalAuthentication are the person's`(code: Int, expected: UserVerificationError) {
    let error = AppleFailure(localAuthentication: code).error(usingKey: "tag")
    #expect(error as? UserVerificationError == expected)
  }

  @Test(arguments: [-4, -9, -10])
  func `a prompt that was taken away is a cancellation`(code: Int) {
    #expect(AppleFailure(localAuthentication: code).error(usingKey: "tag") is CancellationError)
  }

  @Test
  func `a key that the keychain no longer has is lost`() {
    #expect(
      AppleFailure(status: -25300).error(usingKey: "tag") as? DeviceKeyError
        == .lost(tag: "tag", reason: AppleFailure.whyLost))
  }

  @Test
  func `cancelling the system's prompt is no failure of the key`() {
    #expect(AppleFailure(status: -128).error(usingKey: "tag") as? UserVerificationError == .canceled)
  }

  @Test
  func `a locked device is busy, and an app without entitlement is told so`() {
    guard case DeviceKeyError.busy = AppleFailure(status: -25308).error(usingKey: "tag") else {
      Issue.record("not busy")
      return
    }
    let error = AppleFailure(status: -34018).error(doing: "It failed") as? DeviceKeyError
    #expect(error?.errorDescription?.contains("entitlement") == true)
  }

  @Test
  func `what may be a wrong PIN counts as one, and what is known to be something else does not`() {
    for counted in [AppleFailure.unauthorized, .notRecognised, .other(-3), .other(-50)] {
      #expect(counted.mayBeWrongPIN)
    }
    for uncounted in [
      AppleFailure.canceled, .interrupted, .itemNotFound, .noInteraction, .missingEntitlement, .noPasscode,
    ] {
      #expect(!uncounted.mayBeWrongPIN)
    }
  }
}
