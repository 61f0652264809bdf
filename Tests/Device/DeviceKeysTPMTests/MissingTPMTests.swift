import DeviceKeys
import Foundation
import Testing

@testable import DeviceKeysTPM

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
    guard case .absent(let reason) = await store.availability() else {
      Issue.record("A chip that is not there is there")
      return
    }
    #expect(reason.contains(tcti))
    #expect(try await store.keys().isEmpty)
  }

  @Test func aDeviceFileThatDoesNotOpenIsNoAbsence() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // A folder in the chip's place is there, and opens for nobody.
    let store = try TPMKeyStore(directory: folder.appending(path: "keys"), tcti: "device:\(folder.path)")
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

  @Test func aSquattedLockFolderIsAnErrorAndNoReasonForSoftware() async throws {
    let runtime = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    let elsewhere = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    for folder in [runtime, elsewhere] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    defer { for folder in [runtime, elsewhere] { try? FileManager.default.removeItem(at: folder) } }
    try FileManager.default.createSymbolicLink(
      at: runtime.appending(path: "sealring"), withDestinationURL: elsewhere)
    let store = try TPMKeyStore(
      directory: runtime.appending(path: "keys"), tcti: "swtpm:host=127.0.0.1,port=1",
      environment: ["XDG_RUNTIME_DIR": runtime.path])
    guard case .unavailable(let reason) = await store.availability() else {
      Issue.record("A squatted lock folder counts as no chip")
      return
    }
    #expect(reason.contains("it is a link"))
  }

  @Test func withoutARuntimeFolderTheLockIsInTheClientsHome() {
    #expect(
      TPMChip.standardLockFolder(environment: ["SEALRING_HOME": "/home/mira/keys"]).path
        == "/home/mira/keys/locks")
  }
}
