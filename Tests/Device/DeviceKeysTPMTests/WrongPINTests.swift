import Concurrency
import CTSS2
import DeviceKeys
import Foundation
import Testing

@testable import DeviceKeysTPM

extension OnAChip {
  /// Wrong PINs: the chip counts them, and so does the file beside the key.
  @Suite(.softwareTPM) struct WrongPINs {
    let tpm: TestChip

    init() throws { tpm = try TestChip.required() }

    @Test func `the chip counts them refuses the right one and recovers`() async throws {
      let store = try tpm.store()
      try await store.createPINKey()
      let free = try await store.createKey(tag: "free", protection: .none, unlock: .nothing)
      let authorization = KeyUnlock.authorization(AuthorizationValue())
      let biometric = try await store.createKey(
        tag: "finger", protection: .biometricOnly, unlock: authorization)
      try await tpm.setLockout(after: 3, recovery: 2)
      for failures in 1...3 {
        await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) { try await store.open(pin: "0000") }
        // A slow machine may have seen one of them forgotten.
        let lockout = try #require(try await tpm.chip().run { try $0.lockout() })
        #expect(lockout.failures >= failures - 1)
      }
      // Another process, or one that starts again, is refused as well: the chip counts, not the program.
      do {
        _ = try await tpm.store().open(pin: "4711")
        Issue.record("The right PIN was taken while the chip was locked")
      } catch DeviceKeyError.lockedOut("k", let retryAfter) {
        let seconds = try #require(retryAfter)
        #expect((0...2).contains(seconds))
      }
      // Keys without a PIN are not concerned.
      try await expectSigns(
        try await store.openKey(tag: "free", unlock: .nothing), for: free)
      try await expectSigns(
        try await store.openKey(tag: "finger", unlock: authorization), for: biometric)
      let deadline = ContinuousClock.now + .seconds(30)
      while ContinuousClock.now < deadline {
        do {
          let key = try await store.open(pin: "4711")
          try await expectSigns(key, for: key)
          return
        } catch DeviceKeyError.lockedOut {}
      }
      Issue.record("The chip did not recover")
    }

    @Test func `a lock that time alone does not end says no time`() async throws {
      let store = try tpm.store()
      try await store.createPINKey()
      // tpm2_dictionarylockout does not take the 0, by which a chip is always locked.
      try await tpm.chip().run { connection in
        try TPMFailure.check(
          "TPM2_DictionaryAttackParameters",
          Esys_DictionaryAttackParameters(
            connection.esys, ESYS_TR_RH_LOCKOUT, ESYS_TR_PASSWORD, ESYS_TR_NONE, ESYS_TR_NONE, 0, 1000, 1))
      }
      await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: nil)) {
        try await store.open(pin: "4711")
      }
      let none = PINTries(left: 0, wrong: 0, wait: 0, isOfChip: true)
      #expect(try await store.pinTries(tag: "k") == none)
      #expect(none.refusal(ofKey: "k") == .lockedOut(tag: "k", retryAfter: nil))
      try await tpm.setLockout(after: 3, recovery: 1000)
      _ = try await store.open(pin: "4711")
    }

    @Test func `the tries left are the smaller of the chip's count and the key's`() async throws {
      let store = try tpm.store(pinAttempts: PINAttemptPolicy(failuresUntilDisabled: 4, delays: []))
      try await store.createPINKey()
      try await store.createPINKey("other")
      try await tpm.setLockout(after: 3, recovery: 1000)
      #expect(
        try await store.pinTries(tag: "k") == PINTries(left: 3, wrong: 0, wait: 0, isOfChip: true))
      await #expect(throws: DeviceKeyError.self) { try await store.open("other", pin: "0000") }
      #expect(
        try await store.pinTries(tag: "k") == PINTries(left: 2, wrong: 0, wait: 0, isOfChip: true),
        "the chip counts for all keys")
      for _ in 1...2 {
        await #expect(throws: DeviceKeyError.self) { try await store.open("other", pin: "0000") }
      }
      #expect(await store.availability() == .available, "keys without a PIN are not concerned")
      let locked = try #require(try await store.pinTries(tag: "k"))
      #expect(locked.left == 0 && locked.isOfChip && (1...1000).contains(locked.wait))
      // Without the chip, only the count beside the key is known.
      let alone = try TestChip.store(tcti: "swtpm:host=127.0.0.1,port=1", folder: tpm.folder)
      #expect(try await alone.pinTries(tag: "other") == PINTries(left: 7, wrong: 3, wait: 0))

      try await tpm.setLockout(after: 32, recovery: 1000)
      #expect(try await store.pinTries(tag: "other") == PINTries(left: 1, wrong: 3, wait: 0))
      await #expect(throws: DeviceKeyError.disabled(tag: "other")) {
        try await store.open("other", pin: "0000")
      }
      #expect(try await store.pinTries(tag: "other") == PINTries(left: 0, wrong: 4, wait: 0))
    }

    @Test func `ten in a row disable the key for good`() async throws {
      let time = Locked(Date(timeIntervalSince1970: 1_800_000_000))
      let clock = { @Sendable in time.withLock { $0 } }
      let store = try tpm.store(pinAttempts: .standard, clock: clock)
      try await store.createPINKey()
      for number in 1...10 {
        let error = number < 10 ? DeviceKeyError.wrongPIN(tag: "k") : .disabled(tag: "k")
        await #expect(throws: error) { try await store.open(pin: "0000") }
        if number == 4 {
          await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 15)) {
            try await store.open(pin: "4711")
          }
        }
        time.withLock { $0 += 3600 }
        try await tpm.tool("tpm2_dictionarylockout", "-c")
      }
      let other = try tpm.store(pinAttempts: .standard, clock: clock)
      await #expect(throws: DeviceKeyError.disabled(tag: "k")) { try await other.open(pin: "4711") }
      await #expect(throws: DeviceKeyError.disabled(tag: "k")) {
        try await other.changePIN(tag: "k", from: PIN("4711"), to: PIN("5555"))
      }
      // A new key of the same tag starts without failures.
      try await other.deleteKey(tag: "k")
      try await other.createPINKey()
      _ = try await other.open(pin: "4711")
    }

    @Test func `a locked chip costs no try`() async throws {
      let policy = PINAttemptPolicy(failuresUntilDisabled: 3, delays: [])
      let store = try tpm.store(pinAttempts: policy)
      try await store.createPINKey()
      try await tpm.setLockout(after: 1, recovery: 1000)
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) { try await store.open(pin: "0000") }
      for _ in 1...5 {
        await #expect(throws: DeviceKeyError.self) { try await store.open(pin: "4711") }
      }
      try await tpm.tool("tpm2_dictionarylockout", "-c")
      _ = try await store.open(pin: "4711")
    }
  }
}
