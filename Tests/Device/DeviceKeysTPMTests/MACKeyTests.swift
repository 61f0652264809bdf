import Bytes
import DeviceKeys
import Foundation
import StrictJSON
import Testing

@testable import DeviceKeysTPM

extension OnAChip {
  /// Secret keys that the chip makes and computes with.
  @Suite(.softwareTPM) struct MACKeys {
    let tpm: TestChip
    let store: TPMKeyStore
    private static let salts = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]

    init() throws {
      tpm = try TestChip.required()
      store = try tpm.store()
    }

    private func made() async throws -> [UInt8] { try #require(await store.makeMACKey()) }

    @Test
    func `a key computes the same of the same message, also in another process, and another key does not`()
      async throws
    {
      let (key, other) = (try await made(), try await made())
      let codes = try await store.authenticationCodes(of: Self.salts, by: key)
      #expect(codes.map(\.count) == [32, 32] && codes[0] != codes[1])
      #expect(
        try await tpm.store().authenticationCodes(of: Self.salts.reversed(), by: key) == codes.reversed())
      #expect(
        try await store.authenticationCodes(of: Self.salts, by: other).allSatisfy { !codes.contains($0) })
      #expect(try await store.authenticationCodes(of: [[]], by: key).map(\.count) == [32])
      #expect(try await tpm.handles().isEmpty)
      // The store's list is of keys that sign.
      #expect(try await store.keys().isEmpty)
      #expect(key.count <= MACKey.maximumBytes)
    }

    @Test func `the secret is the chip's: what is kept of it loads in no other`() async throws {
      let key = try await made()
      try await tpm.tool("tpm2_clear")
      await #expect(throws: DeviceKeyError.self) {
        try await store.authenticationCodes(of: Self.salts, by: key)
      }
    }

    @Test func `what was changed, or is another object of the chip, is refused`() async throws {
      let key = try await made()
      for index in stride(from: 60, to: key.count - 60, by: 37) {
        var changed = key
        changed[index] = changed[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
        await #expect(throws: DeviceKeyError.self, "byte \(index)") {
          try await store.authenticationCodes(of: Self.salts, by: changed)
        }
      }
      // A key that signs, in the same form.
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      let file = try TPMKeyFile(parsing: Array(Data(contentsOf: store.file(of: "k"))))
      let signing = TPMMACKey(blobs: file.blobs)
      await #expect(throws: DeviceKeyError.self) {
        try await store.authenticationCodes(of: Self.salts, by: signing.serialized)
      }
      for nonsense in [[], Array("{}".utf8), [UInt8](repeating: 0x20, count: 10_000)] {
        await #expect(throws: DeviceKeyError.self) {
          try await store.authenticationCodes(of: Self.salts, by: nonsense)
        }
      }
      #expect(try await tpm.handles().isEmpty)
    }

    @Test func `a message that is too long does not reach the chip`() async throws {
      let key = try await made()
      await #expect(throws: DeviceKeyError.self) {
        try await store.authenticationCodes(of: [[UInt8](repeating: 0, count: 1025)], by: key)
      }
      #expect(
        try await store.authenticationCodes(of: [[UInt8](repeating: 0, count: 1024)], by: key).count == 1)
    }

    @Test func `a store that prefers hardware has them there, and none in software`() async throws {
      func preferred(_ requirement: PreferredKeyStore.Requirement) -> PreferredKeyStore {
        PreferredKeyStore(hardware: store, software: MemoryKeyStore(), requirement: requirement)
      }
      let key = try #require(await preferred(.hardwareIfPresent).makeMACKey())
      #expect(
        try await preferred(.software).authenticationCodes(of: Self.salts, by: key)
          == store.authenticationCodes(of: Self.salts, by: key))
      #expect(try await preferred(.software).makeMACKey() == nil)
      let without = PreferredKeyStore(
        hardware: MemoryKeyStore(), software: MemoryKeyStore(), requirement: .hardwareIfPresent)
      #expect(try await without.makeMACKey() == nil)
      await #expect(throws: DeviceKeyError.self) {
        try await without.authenticationCodes(of: Self.salts, by: key)
      }
    }
  }
}
