import DeviceKeys
import DeviceKeysTPM
import Foundation
import Testing

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
      Issue.record("A chip that is not there is available")
      return
    }
    #expect(reason.contains(tcti))
    #expect(try await store.keys().isEmpty)
  }
}
