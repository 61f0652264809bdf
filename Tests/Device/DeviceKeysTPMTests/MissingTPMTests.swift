import CommonFixtures
import DeviceKeys
import Foundation
import Testing

@testable import DeviceKeysTPM

/// Without a chip.
@Suite struct MissingTPMTests {
  @Test(arguments: ["device:/nonexistent/tpm", "swtpm:host=127.0.0.1,port=1", "mssim:host=127.0.0.1,port=1"])
  func `a missing chip is unsupported and named`(tcti: String) async throws {
    let folder = TemporaryFolder()
    let store = try TPMKeyStore(directory: folder.url, tcti: tcti)
    do {
      _ = try await store.createKey(tag: "k", protection: .none, unlock: .nothing)
      Issue.record("A key without a chip")
    } catch DeviceKeyError.unsupported(let text) {
      #expect(text.contains(tcti))
    }
    guard case .absent(let reason) = await store.availability() else {
      Issue.record("A chip that is not there is there")
      return
    }
    #expect(reason.contains(tcti))
    #expect(try await store.keys().isEmpty)
  }

  @Test func `a device file that does not open is no absence`() async throws {
    let folder = try TemporaryFolder.make()
    defer { withExtendedLifetime(folder) {} }
    // A folder in the chip's place is there, and opens for nobody.
    let store = try TPMKeyStore(directory: folder.file("keys"), tcti: "device:\(folder.url.path)")
    guard case .unavailable = await store.availability() else {
      Issue.record("A device that does not open counts as none")
      return
    }
    let preferred = PreferredKeyStore(
      hardware: store, software: MemoryKeyStore(), requirement: .hardwareIfPresent)
    await #expect(throws: DeviceKeyError.self, "no key in software stands in for it") {
      try await preferred.createKey(tag: "k", protection: .none, unlock: .nothing)
    }
  }

  @Test func `a squatted lock folder is an error and no reason for software`() async throws {
    let (runtime, elsewhere) = (try TemporaryFolder.make(), try TemporaryFolder.make())
    defer { withExtendedLifetime((runtime, elsewhere)) {} }
    try FileManager.default.createSymbolicLink(
      at: runtime.file("sealring"), withDestinationURL: elsewhere.url)
    let store = try TPMKeyStore(
      directory: runtime.file("keys"), tcti: "swtpm:host=127.0.0.1,port=1",
      environment: ["XDG_RUNTIME_DIR": runtime.url.path])
    guard case .unavailable(let reason) = await store.availability() else {
      Issue.record("A squatted lock folder counts as no chip")
      return
    }
    #expect(reason.contains("it is a link"))
  }

  @Test func `without a runtime folder the lock is in the client's home`() {
    #expect(
      TPMChip.standardLockFolder(environment: ["SEALRING_HOME": "/home/mira/keys"]).path
        == "/home/mira/keys/locks")
  }
}
