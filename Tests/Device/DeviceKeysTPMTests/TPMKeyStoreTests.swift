import CTSS2
import DeviceKeys
import Foundation
import JOSE
import SoftwareTPM
import Testing

@testable import DeviceKeysTPM

let pin = KeyUnlock.pin(PIN("471108"))
let wrong = KeyUnlock.pin(PIN("930274"))

/// Checks that `key` signs what verifies with `publicKey`.
func expectSigns(_ key: any DeviceKey, for publicKey: JWK, _ location: SourceLocation = #_sourceLocation)
  async throws
{
  let token = try await JWS.compact(
    header: JWSHeader(algorithm: .es256), payload: Array("hi".utf8), signer: key)
  let verified = try UnverifiedJWS(compact: token).verified(
    with: VerificationKey(publicKey), allowing: [.es256])
  #expect(verified.payload == Array("hi".utf8), sourceLocation: location)
}

extension ChipTests {
  /// The store on a real (software) TPM of each test's own.
  @Suite struct TPMKeyStoreTests {
    static let authorization = AuthorizationValue()
    static let unlocks: [(KeyProtection, KeyUnlock)] = [
      (.none, .nothing), (.applicationPIN, pin), (.biometricOnly, .authorization(authorization)),
      (.biometricOrCredential, .authorization(authorization)),
    ]

    @Test(arguments: unlocks)
    func aNewAndAnOpenedKeySignForTheSamePublicKey(how: (KeyProtection, KeyUnlock)) async throws {
      try await Bench.run { bench async throws in
        let created = try await bench.store.createKey(tag: "mira", protection: how.0, unlock: how.1)
        let opened = try await bench.tpm.store().openKey(tag: "mira", unlock: how.1)
        #expect(created.publicKey == opened.publicKey)
        try await expectSigns(created, for: created.publicKey)
        try await expectSigns(opened, for: created.publicKey)
        let stored = try await bench.store.keys()
        #expect(stored.map(\.tag) == ["mira"])
        #expect(stored.map(\.kind) == [.tpm])
        #expect(stored.map(\.protection) == [how.0])
        #expect(stored.map(\.publicKey) == [created.publicKey])
        #expect(try await bench.store.kind(ofKey: "mira") == .tpm)
        #expect(await bench.store.availability() == .available)
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    @Test func keyFilesAreForTheirOwnerOnlyAndTheSoftwareStoreDoesNotMindThem() async throws {
      try await Bench.run { bench async throws in
        _ = try await bench.store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        let attributes = try FileManager.default.attributesOfItem(atPath: bench.keyFile.path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let software = try SoftwareKeyStore(directory: bench.store.folder)
        #expect(try await software.keys().isEmpty)
      }
    }

    @Test func aKeyIsNotReplacedAndDeletingIsIdempotent() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        let first = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
        await #expect(throws: DeviceKeyError.exists(tag: "k")) {
          try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
        }
        #expect(try await store.openKey(tag: "k", unlock: .nothing).publicKey == first.publicKey)
        try await store.deleteKey(tag: "k")
        try await store.deleteKey(tag: "k")
        await #expect(throws: DeviceKeyError.notFound(tag: "k")) {
          try await store.openKey(tag: "k", unlock: .nothing)
        }
        await #expect(throws: DeviceKeyError.notFound(tag: "k")) { try await store.kind(ofKey: "k") }
      }
    }

    @Test func nothingUnlocksAKeyButWhatItWasMadeWith() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
          try await store.openKey(tag: "k", unlock: wrong)
        }
        _ = try await store.createKey(
          tag: "b", protection: .biometricOnly, unlock: .authorization(Self.authorization))
        for unlock in [
          KeyUnlock.nothing, .pin(PIN("x")), .systemPrompt(reason: "r"), .authorization(AuthorizationValue()),
        ] {
          await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: "b", unlock: unlock) }
        }
        await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: "k", unlock: .nothing) }
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    // MARK: Wrong PINs

    @Test func theChipCountsWrongPINsRefusesTheRightOneAndRecovers() async throws {
      try await Bench.run { bench async throws in
        let (store, tpm) = (bench.store, bench.tpm)
        _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        _ = try await store.createKey(tag: "free", protection: .none, unlock: .nothing)
        try await tpm.setLockout(after: 3, recovery: 2)
        for failures in 1...3 {
          await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
            try await store.openKey(tag: "k", unlock: wrong)
          }
          #expect(try await tpm.chip().run { try $0.lockout().failures } >= failures - 1)
        }
        // Another process, or one that starts again, is refused as well: the chip counts, not the program.
        do {
          _ = try await tpm.store().openKey(tag: "k", unlock: pin)
          Issue.record("The right PIN was taken while the chip was locked")
        } catch DeviceKeyError.lockedOut("k", let retryAfter) {
          #expect((0...2).contains(try #require(retryAfter)))
        }
        // A key without a PIN is not concerned.
        let free = try await store.openKey(tag: "free", unlock: .nothing)
        try await expectSigns(free, for: free.publicKey)
        let deadline = ContinuousClock.now + .seconds(30)
        while ContinuousClock.now < deadline {
          do {
            let key = try await store.openKey(tag: "k", unlock: pin)
            try await expectSigns(key, for: key.publicKey)
            return
          } catch DeviceKeyError.lockedOut {}
        }
        Issue.record("The chip did not recover")
      }
    }

    @Test func afterTenWrongPINsTheKeyIsDisabledWhateverTheChipThinks() async throws {
      let watch = Watch()
      try await Bench.run(clock: { watch.now }) { bench async throws in
        let (store, tpm) = (bench.store, bench.tpm)
        _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        for failure in 1...10 {
          let expected: DeviceKeyError = failure < 10 ? .wrongPIN(tag: "k") : .disabled(tag: "k")
          await #expect(throws: expected) { try await store.openKey(tag: "k", unlock: wrong) }
          try await tpm.resetLockout()
          watch.advance(by: 3600)
        }
        await #expect(throws: DeviceKeyError.disabled(tag: "k")) {
          try await tpm.store(clock: { watch.now }).openKey(tag: "k", unlock: pin)
        }
      }
    }

    @Test func aLockedChipCostsTheKeyNoTry() async throws {
      try await Bench.run { bench async throws in
        let (store, tpm) = (bench.store, bench.tpm)
        _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        try await tpm.setLockout(after: 1, recovery: 3600)
        await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
          try await store.openKey(tag: "k", unlock: wrong)
        }
        for _ in 1...12 {
          await #expect(throws: DeviceKeyError.lockedOut(tag: "k", retryAfter: 3600)) {
            try await store.openKey(tag: "k", unlock: pin)
          }
        }
        try await tpm.resetLockout()
        _ = try await store.openKey(tag: "k", unlock: pin)
      }
    }

    // MARK: Changing the PIN

    @Test func theNewPINUnlocksTheSameKeyAndTheOldOneDoesNot() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        let key = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
          try await store.changePIN(tag: "k", from: PIN("930274"), to: PIN("602214"))
        }
        try await store.changePIN(tag: "k", from: PIN("471108"), to: PIN("602214"))
        await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
          try await store.openKey(tag: "k", unlock: pin)
        }
        let opened = try await store.openKey(tag: "k", unlock: .pin(PIN("602214")))
        #expect(opened.publicKey == key.publicKey)
        try await expectSigns(opened, for: key.publicKey)
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    @Test func aFolderThatCannotBeWrittenToKeepsTheOldPIN() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: pin)
        _ = try await store.createKey(tag: "n", protection: .none, unlock: .nothing)
        await #expect(throws: DeviceKeyError.self) {
          try await store.changePIN(tag: "n", from: PIN("471108"), to: PIN("602214"))
        }
        await #expect(throws: DeviceKeyError.self) {
          try await store.changePIN(tag: "k", from: PIN("471108"), to: PIN(""))
        }
        _ = try await store.openKey(tag: "k", unlock: pin)
      }
    }

    // MARK: One chip, many users

    @Test func twoStoresUseOneChipAtOnce() async throws {
      try await Bench.run { bench async throws in
        let stores = [try bench.tpm.store("a"), try bench.tpm.store("b")]
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, store) in stores.enumerated() {
            for number in 1...5 {
              group.addTask {
                let key = try await store.createKey(
                  tag: "\(index)-\(number)", protection: .applicationPIN, unlock: pin)
                try await expectSigns(key, for: key.publicKey)
              }
            }
          }
          try await group.waitForAll()
        }
        #expect(try await stores[0].keys().count == 5)
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    @Test func nothingStaysInTheChipAfterManyOperationsAndErrors() async throws {
      struct Injected: Error {}
      try await Bench.run { bench async throws in
        let key = try await bench.store.createKey(tag: "k", protection: .none, unlock: .nothing)
        let chip = bench.tpm.chip()
        for number in 1...40 {
          if number % 4 == 0 {
            await #expect(throws: Injected.self) {
              try await chip.run { connection in
                let parent = try connection.storageKey()
                _ = try connection.startSession(saltedWith: parent)
                throw Injected()
              }
            }
          } else {
            try await expectSigns(key, for: key.publicKey)
          }
        }
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    @Test func slotsThatAKilledProcessLeftBehindAreFreed() async throws {
      try await Bench.run { bench async throws in
        try await bench.tpm.chip().run { connection in
          // What is created without being adopted stays, as if nobody had come to flush it.
          for _ in 1...3 {
            connection.abandon(try connection.createPrimary(Template.storage, in: ESYS_TR_RH_OWNER).handle)
          }
        }
        #expect(try await bench.tpm.handles().count == 3)
        _ = try await bench.store.createKey(tag: "k", protection: .none, unlock: .nothing)
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    /// 0x902: the chip has three slots.
    @Test func aChipWithoutRoomIsBusyAfterBoundedTries() async throws {
      try await Bench.run { bench async throws in
        let pauses = Counter()
        let chip = bench.tpm.chip { _ in await pauses.add() }
        let error = await #expect(throws: DeviceKeyError.self) {
          try await chip.run { connection in
            for _ in 1...4 { _ = try connection.createPrimary(Template.storage, in: ESYS_TR_RH_OWNER) }
          }
        }
        guard case .busy(let text)? = error else {
          Issue.record("\(String(describing: error)) is not busy")
          return
        }
        #expect(text.contains("0x902"))
        #expect(await pauses.count == TPMChip.attempts - 1)
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    @Test func aCancelledTaskLeavesNothingBehind() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        let task = Task {
          withUnsafeCurrentTask { $0?.cancel() }
          return try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await store.keys().isEmpty)
        #expect(try await bench.tpm.handles().isEmpty)
      }
    }

    // MARK: What goes wrong

    @Test func keysOfAClearedChipAreLostAndNotDamaged() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
        try await bench.tpm.clear()
        await #expect(
          throws: DeviceKeyError.lost(
            tag: "k", reason: "it belongs to another TPM, or this one was cleared since it was made")
        ) { try await store.openKey(tag: "k", unlock: .nothing) }
        _ = try await store.createKey(tag: "new", protection: .none, unlock: .nothing)
        _ = try await store.openKey(tag: "new", unlock: .nothing)
      }
    }

    @Test func aDamagedFileIsNamedAndTheOthersWork() async throws {
      try await Bench.run { bench async throws in
        let store = bench.store
        _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
        let file = try bench.keyFile
        _ = try await store.createKey(tag: "other", protection: .none, unlock: .nothing)
        var bytes = try Data(contentsOf: file)
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: file)
        for operation in 1...2 {
          do {
            if operation == 1 {
              _ = try await store.openKey(tag: "k", unlock: .nothing)
            } else {
              _ = try await store.keys()
            }
            Issue.record("A damaged file was taken")
          } catch DeviceKeyError.unreadable(let path, _) {
            #expect(path == file.path)
          }
        }
        _ = try await store.openKey(tag: "other", unlock: .nothing)
        #expect(try await store.kind(ofKey: "other") == .tpm)
        #expect(try Data(contentsOf: file) == bytes)
      }
    }

    @Test func anOwnerPasswordIsAnErrorThatSaysSo() async throws {
      try await Bench.run { bench async throws in
        try await bench.tpm.setPassword(of: ESYS_TR_RH_OWNER)
        do {
          _ = try await bench.store.createKey(tag: "k", protection: .none, unlock: .nothing)
          Issue.record("A key was made without the owner's password")
        } catch DeviceKeyError.unsupported(let text) {
          #expect(text.contains("owner hierarchy"))
        }
        guard case .unavailable(let reason) = await bench.store.availability() else {
          Issue.record("It is available")
          return
        }
        #expect(reason.contains("owner hierarchy"))
      }
    }

    @Test func aChipThatIsSwitchedOffIsUnsupportedAndItsKeysAreStillListed() async throws {
      try await Bench.run { bench async throws in
        _ = try await bench.store.createKey(tag: "k", protection: .none, unlock: .nothing)
        bench.tpm.kill()
        // The process may take a moment to end; then nobody listens.
        var text = ""
        for _ in 1...1000 where text.isEmpty {
          do {
            _ = try await bench.store.openKey(tag: "k", unlock: .nothing)
          } catch DeviceKeyError.unsupported(let reason) { text = reason }
        }
        #expect(text.contains(bench.tpm.tcti))
        #expect(try await bench.store.keys().map(\.tag) == ["k"])
      }
    }

    actor Counter {
      private(set) var count = 0
      func add() { count += 1 }
    }
  }
}

/// Without a chip.
@Suite struct MissingTPMTests {
  @Test(arguments: ["device:/nonexistent/tpm", "swtpm:host=127.0.0.1,port=1", "nonsense:x"])
  func aMissingChipIsUnsupportedAndNamed(tcti: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try TPMKeyStore(directory: folder, tcti: tcti)
    do {
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      Issue.record("A key without a chip")
    } catch DeviceKeyError.unsupported(let text) {
      #expect(text.contains(tcti))
    }
    guard case .unavailable(let reason) = await store.availability() else {
      Issue.record("It is available")
      return
    }
    #expect(reason.contains(tcti))
    guard case .unavailable = await store.attestationAvailability() else {
      Issue.record("It can attest")
      return
    }
    #expect(try await store.keys().isEmpty)
  }
}
