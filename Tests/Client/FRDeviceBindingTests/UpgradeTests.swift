import CommonFixtures
import DeviceKeys
import Foundation
import FRDeviceBinding
import PingBinding
import PingStorage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An app changes its dependency from the earlier SDK to this one: its users' keys are there at the first call.
@Suite struct UpgradeTests {
  @Test func `the first call lists the keys of the earlier SDK`() async throws {
    let folder = TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let path = folder.url.path
    await #expect(processExitsWith: .success) { [path = path as String] in
      setenv("SEALRING_HOME", path, 1)
      for (id, kid, created) in [("a", "older", 1.7e9), ("b", "newer", 1.8e9)] {
        let entry = """
          {"id": "\(id)", "userId": "id=\(id)", "userName": "\(id)", "kid": "\(kid)", "authType": "NONE",
           "createdAt": \(created)}
          """
        try FileLegacyStore().add(Data(entry.utf8), id: id)
        _ = try await SoftwareKeyStore().createKey(tag: id, protection: .none, unlock: .nothing)
      }
      let keys = FRUserKeys().loadAll()
      #expect(keys.map(\.kid) == ["newer", "older"])
      #expect(keys.map(\.id) == ["b", "a"] && keys.map(\.createdAt) == [1.8e9, 1.7e9])
      guard case .singleKeyFound(let key) = FRUserKeys().getKeyStatus(userId: "id=a") else {
        Issue.record("the user has one key")
        return
      }
      // Nobody is signed in: the server cannot be told, and force removes it here all the same.
      #expect(throws: (any Error).self) { try FRUserKeys().delete(userKey: key) }
      #expect(FRUserKeys().loadAll().count == 2)
      #expect(throws: (any Error).self) { try FRUserKeys().delete(userKey: key, forceDelete: true) }
      #expect(FRUserKeys().loadAll().map(\.kid) == ["newer"])
      #expect(try await SoftwareKeyStore().keys().map(\.tag) == ["b"])
    }
  }
}

@Suite struct OptionsTests {
  @Test func `the list of the earlier SDK is read`() throws {
    let list: [String: Any] = [
      "forgerock_url": "https://am.example.com/am", "forgerock_realm": "alpha", "forgerock_timeout": "30",
      "forgerock_cookie_name": "session",
    ]
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    let options = try FROptions(plist: data)
    #expect(
      options
        == FROptions(url: "https://am.example.com/am", realm: "alpha", cookieName: "session", timeout: 30))
  }

  @Test(arguments: [[:], ["forgerock_url": "https://x", "forgerock_timeout": "soon"]])
  func `an incomplete list is named`(list: [String: String]) throws {
    let data = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
    #expect(throws: ConfigError.self) { try FROptions(plist: data) }
  }

  @Test(arguments: ["", "am.example.com", "ftp://am.example.com"])
  func `a wrong address is refused at the start`(url: String) {
    #expect(throws: ConfigError.self) { try FRAuth.start(options: FROptions(url: url)) }
  }
}
