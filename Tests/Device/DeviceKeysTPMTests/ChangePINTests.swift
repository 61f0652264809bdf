import DeviceKeys
import Foundation
import SoftwareTPM
import Testing

@testable import DeviceKeysTPM

extension OnAChip {
  @Suite(.softwareTPM) struct ChangingThePIN {
    let tpm: TestChip
    let store: TPMKeyStore

    init() throws {
      tpm = try TestChip.required()
      store = try tpm.store()
    }

    @Test func `the new PIN unlocks the same key and the old one does not`() async throws {
      let key = try await store.createPINKey()
      try await store.changePIN(tag: "k", from: PIN("4711"), to: PIN("a longer one"))
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) { try await store.open(pin: "4711") }
      let opened = try await store.open(pin: "a longer one")
      #expect(opened.publicKey == key.publicKey)
      try await expectSigns(opened, for: key)
      #expect(try await store.keys().map(\.tag) == ["k"])
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `a wrong PIN changes nothing and counts`() async throws {
      let policy = PINAttemptPolicy(failuresUntilDisabled: 2, delays: [])
      let store = try tpm.store(pinAttempts: policy)
      try await store.createPINKey()
      let before = try Data(contentsOf: store.file(of: "k"))
      await #expect(throws: DeviceKeyError.wrongPIN(tag: "k")) {
        try await store.changePIN(tag: "k", from: PIN("0000"), to: PIN("5555"))
      }
      #expect(try Data(contentsOf: store.file(of: "k")) == before)
      await #expect(throws: DeviceKeyError.disabled(tag: "k")) { try await store.open(pin: "0000") }
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `only a key with a PIN has one to change`() async throws {
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      await #expect(throws: DeviceKeyError.self) {
        try await store.changePIN(tag: "k", from: PIN("4711"), to: PIN("5555"))
      }
      try await store.createPINKey("p")
      await #expect(throws: DeviceKeyError.self) {
        try await store.changePIN(tag: "p", from: PIN("4711"), to: PIN(""))
      }
      await #expect(throws: DeviceKeyError.notFound(tag: "x")) {
        try await store.changePIN(tag: "x", from: PIN("4711"), to: PIN("5555"))
      }
      _ = try await store.open("p", pin: "4711")
    }

    @Test func `of two changes at once one wins`() async throws {
      try await store.createPINKey()
      let stores = [store, try tpm.store()]
      let won = await withTaskGroup(of: Bool.self) { group in
        for (number, store) in stores.enumerated() {
          group.addTask {
            do {
              try await store.changePIN(tag: "k", from: PIN("4711"), to: PIN("new \(number)"))
              return true
            } catch {
              return false
            }
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(won == 1)
      var opened = 0
      for number in 0...1 where (try? await store.open(pin: "new \(number)")) != nil { opened += 1 }
      #expect(opened == 1)
    }

    @Test func `a process that is killed while it changes the PIN leaves the old or the new one`()
      async throws
    {
      let key = try await store.createPINKey(pin: "1111")
      for round in 1...4 {
        let after = UInt32(round) * 60_000
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [tcti = tpm.tpm.tcti as String, folder = tpm.folder as URL, after = after as UInt32] in
          let store = try TPMKeyStore(
            directory: folder.appendingPathComponent("keys"),
            chip: TestChip.chip(tcti: tcti, folder: folder), pinAttempts: PINAttemptPolicy(delays: []))
          var (now, next) = ("1111", "2222")
          if (try? await store.open(pin: now)) == nil { swap(&now, &next) }
          Thread.detachNewThread {
            usleep(after)
            kill(getpid(), SIGKILL)
          }
          while true {
            try await store.changePIN(tag: "k", from: PIN(now), to: PIN(next))
            swap(&now, &next)
          }
        }
        var opened: [any DeviceKey] = []
        for pin in ["1111", "2222"] {
          if let key = try? await store.open(pin: pin) { opened.append(key) }
        }
        #expect(opened.count == 1)
        #expect(opened.first?.publicKey == key.publicKey)
        try await tpm.tool("tpm2_dictionarylockout", "-c")
      }
      _ = try await store.createKey(tag: "other", protection: .none, unlock: .nothing)
      let names = try FileManager.default.contentsOfDirectory(atPath: store.folder.path)
      #expect(!names.contains { $0.hasSuffix(".tmp") })
    }
  }
}
