import DeviceKeys
import Testing

@testable import DeviceKeysApple

@Suite("What the keychain lets a key of an Apple device sign for")
struct AccessRuleTests {
  private static let full = PersonFacts(hasPasscode: true, hasBiometry: true)
  private static let passcodeOnly = PersonFacts(hasPasscode: true, hasBiometry: false)
  private static let bare = PersonFacts(hasPasscode: false, hasBiometry: false)

  @Test(
    arguments: [
      (KeyProtection.none, full, AccessRule(person: .nothing, needsPasscode: false)),
      (.none, bare, AccessRule(person: .nothing, needsPasscode: false)),
      (.applicationPIN, full, AccessRule(person: .applicationPIN, needsPasscode: true)),
      (.applicationPIN, bare, AccessRule(person: .applicationPIN, needsPasscode: false)),
      (.biometricOnly, full, AccessRule(person: .currentBiometry, needsPasscode: true)),
      (.biometricOrCredential, full, AccessRule(person: .biometryOrPasscode, needsPasscode: true)),
      (.biometricOrCredential, passcodeOnly, AccessRule(person: .passcode, needsPasscode: true)),
    ])
  func `each protection has its rule`(protection: KeyProtection, device: PersonFacts, rule: AccessRule) throws
  {
    #expect(try AccessRule(protection, on: device) == rule)
  }

  @Test(arguments: [
    (KeyProtection.biometricOnly, passcodeOnly), (.biometricOnly, bare), (.biometricOrCredential, bare),
  ])
  func `no key is made that nobody could use`(protection: KeyProtection, device: PersonFacts) {
    #expect {
      try AccessRule(protection, on: device)
    } throws: { error in
      guard case DeviceKeyError.unsupported = error else { return false }
      return true
    }
  }

  @Test
  func `a change of what is enrolled ends keys that biometry unlocks, and no others`() throws {
    #expect(try AccessRule(.biometricOnly, on: Self.full).endsWithEnrolment)
    #expect(try AccessRule(.biometricOrCredential, on: Self.full).endsWithEnrolment)
    // Nothing was enrolled that could change.
    #expect(try !AccessRule(.biometricOrCredential, on: Self.passcodeOnly).endsWithEnrolment)
    #expect(try !AccessRule(.applicationPIN, on: Self.full).endsWithEnrolment)
    #expect(try !AccessRule(.none, on: Self.full).endsWithEnrolment)
  }

  @Test
  func `biometric keys are left to the system, and others are not`() throws {
    for protection in [KeyProtection.biometricOnly, .biometricOrCredential] {
      try protection.checkedBySystem(.systemPrompt(reason: "pay"))
      #expect(throws: DeviceKeyError.self) {
        try protection.checkedBySystem(.authorization(AuthorizationValue()))
      }
      #expect(throws: DeviceKeyError.self) { try protection.checkedBySystem(.nothing) }
    }
    try KeyProtection.none.checkedBySystem(.nothing)
    try KeyProtection.applicationPIN.checkedBySystem(.pin(PIN("1234")))
    #expect(throws: DeviceKeyError.self) {
      try KeyProtection.none.checkedBySystem(.systemPrompt(reason: "pay"))
    }
    #expect(throws: DeviceKeyError.self) { try KeyProtection.applicationPIN.checkedBySystem(.pin(PIN(""))) }
  }
}
