import CTSS2
import DeviceKeys
import Foundation
import Testing

@testable import DeviceKeysTPM

extension OnAChip {
  /// What the store does with keys, on a chip of each test's own.
  @Suite(.softwareTPM) struct Keys {
    let tpm: TestChip
    let store: TPMKeyStore

    init() throws {
      tpm = try TestChip.required()
      store = try tpm.store()
    }

    @Test(arguments: allUnlocks)
    func `a new and an opened key sign for the same public key`(how: (KeyProtection, KeyUnlock)) async throws
    {
      let created = try await store.createKey(tag: "mira", protection: how.0, unlock: how.1)
      let opened = try await tpm.store().openKey(tag: "mira", unlock: how.1)
      #expect(created.publicKey == opened.publicKey)
      try await expectSigns(created, for: created)
      try await expectSigns(opened, for: created)
      let stored = try await store.keys()
      #expect(stored.map(\.tag) == ["mira"])
      #expect(stored.map(\.kind) == [.tpm])
      #expect(stored.map(\.protection) == [how.0])
      #expect(stored.map(\.publicKey) == [created.publicKey])
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `key files are for their owner only and hold no PIN`() async throws {
      _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
      let file = store.file(of: "k")
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      // The software store in the same folder does not mind it.
      let software = try SoftwareKeyStore(directory: store.folder)
      #expect(try await software.keys().isEmpty)
    }

    @Test func `a key is not replaced and deleting is idempotent`() async throws {
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
    }

    @Test func `nothing but the PIN unlocks a key made with one`() async throws {
      _ = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: .pin(PIN("4711")))
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
        try await store.openKey(tag: "k", unlock: .pin(PIN("4712")))
      }
      await #expect(throws: DeviceKeyError.self) { try await store.openKey(tag: "k", unlock: .nothing) }
      for unlock in [KeyUnlock.nothing, .pin(PIN("4711")), .systemPrompt(reason: "")] {
        await #expect(throws: DeviceKeyError.self) {
          try await store.createKey(tag: "b", protection: .biometricOnly, unlock: unlock)
        }
      }
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `two stores use one chip at once`() async throws {
      let stores = [try tpm.store("a"), try tpm.store("b")]
      try await withThrowingTaskGroup(of: Void.self) { group in
        for (index, store) in stores.enumerated() {
          for number in 1...5 {
            group.addTask {
              let unlock = KeyUnlock.pin(PIN("4711"))
              let key = try await store.createKey(
                tag: "\(index)-\(number)", protection: .applicationPIN, unlock: unlock)
              try await expectSigns(key, for: key)
            }
          }
        }
        try await group.waitForAll()
      }
      #expect(try await stores[0].keys().count == 5)
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `nothing stays in the chip after many operations and errors`() async throws {
      struct Injected: Error {}
      let unlock = KeyUnlock.pin(PIN("4711"))
      let key = try await store.createKey(tag: "k", protection: .applicationPIN, unlock: unlock)
      let chip = try tpm.chip()
      for number in 1...50 {
        switch number % 5 {
        case 0:
          await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
            try await store.openKey(tag: "k", unlock: .pin(PIN("1")))
          }
          try await tpm.tool("tpm2_dictionarylockout", "-c")
          _ = try await store.openKey(tag: "k", unlock: unlock)
        case 1:
          await #expect(throws: Injected.self) {
            try await chip.run { connection in
              let parent = try connection.storageKey()
              _ = try connection.startSession(saltedWith: parent)
              throw Injected()
            }
          }
        default:
          try await expectSigns(key, for: key)
        }
      }
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `slots that a killed process left behind are freed`() async throws {
      try await tpm.chip().run { connection in
        // What is created without being adopted stays, as if nobody had come to flush it.
        for _ in 1...3 {
          connection.abandon(try connection.createPrimary(Template.storage, in: ESYS_TR_RH_OWNER).handle)
        }
      }
      #expect(try await tpm.handles().count == 3)
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `a chip without room is busy after bounded tries`() async throws {
      let pauses = Counter()
      let chip = try tpm.chip { _ in await pauses.add() }
      await #expect(throws: DeviceKeyError.self) {
        try await chip.run { connection in
          for _ in 1...4 { _ = try connection.createPrimary(Template.storage, in: ESYS_TR_RH_OWNER) }
        }
      }
      #expect(await pauses.count == TPMChip.attempts - 1)
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `a cancelled task leaves nothing behind`() async throws {
      let store = store
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await store.keys().isEmpty)
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `keys of a cleared chip are lost and not damaged`() async throws {
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      #expect(try await store.lostKeys().isEmpty)
      try await tpm.tool("tpm2_clear")
      #expect(try await store.lostKeys().map(\.tag) == ["k"])
      await #expect(
        throws: DeviceKeyError.lost(
          tag: "k", reason: "it belongs to another TPM, or this one was cleared since it was made")
      ) { try await store.openKey(tag: "k", unlock: .nothing) }
    }

    @Test func `a chip that is not the one of the first key gets no PIN until the person decides`()
      async throws
    {
      let first = try await store.createKey(
        tag: "k", protection: .applicationPIN, unlock: .pin(PIN("471108")))
      _ = try await store.createKey(tag: "second", protection: .none, unlock: .nothing)
      try await tpm.tool("tpm2_clear")
      let pin = store.file(of: "k").deletingLastPathComponent().appending(path: StorageKeyPin.fileName)
      let error = await #expect(throws: DeviceKeyError.self) {
        try await store.createKey(tag: "new", protection: .applicationPIN, unlock: .pin(PIN("471108")))
      }
      #expect(error?.errorDescription?.contains(pin.path) == true)
      #expect(await store.availability().problem?.contains(pin.path) == true)
      #expect(
        try await store.keys().map(\.tag) == [first.tag, "second"], "nothing was made, and nothing lost")
      try FileManager.default.removeItem(at: pin)
      #expect(await store.availability() == .available)
      #expect(!FileManager.default.fileExists(atPath: pin.path), "only a key pins the chip")
      _ = try await store.createKey(tag: "new", protection: .none, unlock: .nothing)
      _ = try await store.openKey(tag: "new", unlock: .nothing)
    }

    @Test func `an answer with another kind of key is refused`() throws {
      let area = try PublicArea(Template.storage)
      try area.requireKind(of: Template.storage)
      // A key that whoever stands between has made, of which the chip would not refuse to tell the private part.
      for other in [
        Template.attestationKey, Template.deviceKey(hasPIN: true), Template.deviceKey(hasPIN: false),
      ] {
        #expect(throws: DeviceKeyError.self) { try area.requireKind(of: other) }
      }
    }

    @Test func `a damaged file is named and the others work`() async throws {
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      let file = store.file(of: "k")
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
      let (keys, faults) = try await store.readableKeys()
      #expect(keys.map(\.tag) == ["other"] && faults.count == 1)
      _ = try await store.openKey(tag: "other", unlock: .nothing)
      #expect(try Data(contentsOf: file) == bytes)
    }

    @Test func `an owner password is an error that says so`() async throws {
      try await tpm.tool("tpm2_changeauth", "-c", "owner", "secret")
      do {
        _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
        Issue.record("A key was made without the owner's password")
      } catch DeviceKeyError.unsupported(let text) {
        #expect(text.contains("owner hierarchy"))
      }
      guard case .unavailable(let reason) = await store.availability() else {
        Issue.record("It is said to be available")
        return
      }
      #expect(reason.contains("owner hierarchy"))
    }

    actor Counter {
      private(set) var count = 0
      func add() { count += 1 }
    }
  }
}
