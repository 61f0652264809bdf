import CommonFixtures
import DeviceKeys
import Foundation
import PingFido
import PingJourneyPlugin
import PrivateFiles
import Testing
import WebAuthnAuthenticator

/// What the store of the client's home adds to the authenticator's: this device's key.
@Suite struct CredentialEncryptionTests {
  @Test func `in the home credentials are encrypted with its key, and a changed file is reported and left`()
    async throws
  {
    let home = TemporaryFolder()
    defer { withExtendedLifetime(home) {} }
    let device = PasskeyDevice(credentials: CredentialStore(home: ClientHome(directory: home.url)))
    _ = try await Step(Data71.registration()).registration(device).register(window: PresentationAnchor())
      .get()

    let folder = home.file("credentials")
    let name = try #require(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".credential") })
    let file = folder.appending(path: name)
    let content = try Data(contentsOf: file)
    #expect(content.range(of: Data("demo".utf8)) == nil)
    #expect(try await device.keys.count == 1)

    var changed = content
    changed[changed.count - 1] ^= 1
    try changed.write(to: file)
    let error = await #expect(throws: DeviceKeyError.self) { _ = try await device.keys }
    #expect(error.map { "\($0)" }?.contains(name) == true)
    #expect(try Data(contentsOf: file) == changed)
  }
}
