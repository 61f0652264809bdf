import Foundation
import JourneyStore
import OATH
import Testing

@Suite("Secrets of the server") struct ServerSecretTests {
  private func isCorrupt(_ error: any Error, naming parts: String...) -> Bool {
    guard case .corrupt(let detail)? = error as? StoreError else { return false }
    return parts.allSatisfy(detail.contains)
  }

  @Test func `a secret is made once and kept`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      #expect(try await store.secret(named: "seal") { [1, 2, 3] } == [1, 2, 3])
      #expect(try await store.secret(named: "seal") { [9] } == [1, 2, 3])
      #expect(try await store.secret(named: "other") { [4] } == [4])
      try await store.close()
      let again = try SQLiteStore(directory: folder)
      #expect(try await again.secret(named: "seal") { [9] } == [1, 2, 3])
      try await again.close()
    }
  }

  @Test func `on disk it is encrypted, and the key is the owner's alone`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      let secret = Array("a secret that would be found in the file".utf8)
      _ = try await store.secret(named: "seal") { secret }
      try await store.close()
      let stored = try Data(contentsOf: folder.appendingPathComponent("sealring.sqlite"))
      #expect(stored.range(of: Data(secret)) == nil)
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appendingPathComponent("server.key").path)
      #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
      #expect((attributes[.size] as? NSNumber)?.intValue == 32)
    }
  }

  @Test func `a changed or exchanged secret is refused by name`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      for name in ["one", "two"] { _ = try await store.secret(named: name) { Array(name.utf8) } }
      try await store.close()
      try tamper(
        folder,
        "UPDATE server_secrets SET sealed = (SELECT sealed FROM server_secrets WHERE name = 'two') WHERE name = 'one'"
      )
      let again = try SQLiteStore(directory: folder)
      await #expect {
        try await again.secret(named: "one") { [] }
      } throws: {
        isCorrupt($0, naming: "server_secrets", "one", "server.key")
      }
      #expect(try await again.secret(named: "two") { [] } == Array("two".utf8))
      try await again.close()
    }
  }

  @Test func `a device's secret that was changed is refused, naming its table`() async throws {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      try await store.createUser(.sample())
      let device = OathDeviceRecord(
        uuid: "o1", realm: "alpha", username: "demo", secret: StoredSecret([UInt8](repeating: 7, count: 20)),
        profile: OATHProfile(),
        createdDate: noon, lastAccessDate: noon)
      #expect(try await store.addOathDevice(device, limit: 1))
      try await store.close()
      try tamper(folder, "UPDATE oath_devices SET sealed = zeroblob(length(sealed))")
      let again = try SQLiteStore(directory: folder)
      await #expect {
        try await again.oathDevices.all(of: .demo)
      } throws: {
        isCorrupt($0, naming: "oath_devices", "o1", "server.key")
      }
      try await again.close()
    }
  }

  @Test
  func
    `a key of the wrong length, another key, or none at all: an error that names it, and nothing is overwritten`()
    async throws
  {
    try await withFolder { folder in
      let store = try SQLiteStore(directory: folder)
      _ = try await store.secret(named: "seal") { [1] }
      try await store.close()
      let key = folder.appendingPathComponent("server.key")

      for wrong in [Data(), Data(repeating: 1, count: 31), Data(repeating: 1, count: 33)] {
        try wrong.write(to: key)
        #expect {
          try SQLiteStore(directory: folder)
        } throws: {
          isCorrupt($0, naming: key.path)
        }
        #expect(try Data(contentsOf: key) == wrong)
      }

      try Data(repeating: 7, count: 32).write(to: key)
      #expect {
        try SQLiteStore(directory: folder)
      } throws: {
        isCorrupt($0, naming: key.path)
      }

      try FileManager.default.removeItem(at: key)
      #expect {
        try SQLiteStore(directory: folder)
      } throws: {
        if case .unavailable(let detail)? = $0 as? StoreError { detail.contains(key.path) } else { false }
      }
      #expect(!FileManager.default.fileExists(atPath: key.path))
    }
  }
}
