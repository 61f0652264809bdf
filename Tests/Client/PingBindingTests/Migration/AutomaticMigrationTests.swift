import CommonFixtures
import DeviceKeys
import Foundation
import PingBinding
import PrivateFiles
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What an upgraded app does not have to think of. In processes of their own, whose home has legacy keys.
@Suite struct AutomaticMigrationTests {
  private let folder = TemporaryFolder()

  @Test func `signing uses the legacy key and binding replaces it`() async throws {
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      let home = try await Self.legacyHome(path)
      let signing = signingCallback(user: mira)
      let signed = await signing.sign { $0.applicationId = "com.acme.wallet" }
      #expect(throws: Never.self) { try signed.get() }
      #expect(try await BindingModule.getAllKeys().map(\.kid) == ["legacy kid"])
      #expect(try FileLegacyStore(home: home).entries().isEmpty)

      let bound = await bindingCallback(user: mira).bind { $0.applicationId = "com.acme.wallet" }
      #expect(throws: Never.self) { try bound.get() }
      let keys = try await BindingModule.getAllKeys()
      #expect(keys.count == 1 && keys.first?.kid != "legacy kid")
      #expect(try await SoftwareKeyStore().keys().map(\.tag) == keys.map(\.keyTag))
    }
  }

  @Test func `binding first migrates everybody's keys`() async throws {
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      _ = try await Self.legacyHome(path)
      _ = await bindingCallback(user: "id=babs").bind { $0.applicationId = "com.acme.wallet" }
      #expect(Set(try await BindingModule.getAllKeys().map(\.userId)) == [mira, "id=babs"])
    }
  }

  @Test func `registering callbacks migrates in the background`() async throws {
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      _ = try await Self.legacyHome(path)
      BindingModule.registerCallbacks()
      // Whoever comes now waits for the run that has begun, or starts the only one.
      try await eventually("nothing is left to migrate") { await !BindingMigration.isMigrationNeeded() }
      #expect(try await BindingModule.getAllKeys().map(\.kid) == ["legacy kid"])
    }
  }

  /// Makes the folder `path` this process's home, with one legacy key in it.
  private static func legacyHome(_ path: String) async throws -> ClientHome {
    setenv("SEALRING_HOME", path, 1)
    let tag = LegacyDevice.tag(of: mira)
    _ = try await SoftwareKeyStore().createKey(tag: tag, protection: .none, unlock: .nothing)
    try FileLegacyStore().add(LegacyDevice.entry(user: mira, kid: "legacy kid"), id: tag)
    return ClientHome.standard
  }
}
