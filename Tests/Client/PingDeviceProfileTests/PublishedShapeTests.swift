import Foundation
import GeoClueLocation
import PingDeviceId
import PingDeviceProfile
import PingJourneyPlugin
import PingLogger
import PingStorage
import PingTamperDetector
import Testing

// What apps write against the published declarations, and what docs/device-profile.md prints: it has to compile without
// knowing anything of the inside.

private struct Battery: DeviceCollector {
  let key = "battery"
  func collect() async throws -> [String: Int]? { ["percent": 80] }
}

private struct Question: LocationConsent {
  func allowsLocation(message: String) async -> Bool { false }
}

@Suite("The published declarations of device profiles and identifiers")
struct PublishedShapeTests {
  @Test func `an app's configuration`() async throws {
    let callback: DeviceProfileCallback = makeCallback(location: true)
    let result: Result<[String: any Sendable], any Error> = await callback.collect { config in
      config.logger = LogManager.none
      config.metadata = true
      config.collectors { [PlatformCollector(), NetworkCollector(), Battery()] }
      #if os(Linux)
        config.collectors.append(
          LocationCollector(
            provider: GeoClueLocationProvider(desktopID: "com.example.kiosk"), consent: Question()))
      #endif
      config.deviceIdentifier = FixedIdentifier()
    }
    let profile = try result.get()
    let metadata = try #require(profile["metadata"] as? [String: any Sendable])
    #expect(Set(metadata.keys) == ["platform", "network", "battery"])
    #expect(profile["location"] == nil)
    let payload: [String: Any] = callback.payload()
    #expect(payload["type"] as? String == JourneyConstants.deviceProfileCallback)
  }

  @Test func `collectors by themselves`() async throws {
    let config = DeviceProfileConfig()
    #expect(!config.metadata && !config.location && config.deviceIdentifier != nil)
    config.deviceIdentifier = FixedIdentifier()
    config.metadata = true
    let collector = DeviceProfileCollector(config: config)
    #expect(collector.key.isEmpty)
    let profile: DeviceProfileResult = try #require(await collector.collect())
    #expect(
      profile.identifier == "device-1" && profile.metadata?["platform"] != nil && profile.location == nil)
    let again = try JSONDecoder().decode(DeviceProfileResult.self, from: JSONEncoder().encode(profile))
    #expect(again.identifier == "device-1" && again.metadata?.count == profile.metadata?.count)
    let keys = [
      BluetoothCollector().key, BrowserCollector().key, HardwareCollector().key, LocationCollector().key,
      NetworkCollector().key, PlatformCollector().key, TelephonyCollector().key,
    ]
    #expect(
      keys == ["bluetooth", "browser", "hardware", "location", "network", "platform", "telephony"])
    #expect(DefaultDeviceCollector.defaultDeviceCollectors().count == 6)
    #expect(DeviceProfileConstants.navigator_userAgent == "navigator.userAgent")
    #expect(TamperDetector().analyze() <= 1)
  }

  @Test func `identifiers`() async throws {
    let storage: any Storage<DeviceIdentifierImpl> = MemoryStorage<DeviceIdentifierImpl>()
    let identifier = DefaultDeviceIdentifier(configuration: .default, storage: storage, logger: nil)
    let id: String = try await identifier.id
    await identifier.clearCache()
    #expect(try await identifier.id == id)
    let pair = DeviceIdentifierKeyPair(publicKey: Data([1]))
    let stored = DeviceIdentifierImpl(deviceIdentifierKeyPair: pair)
    #expect(stored.id.count == 64)
    let any: any DeviceIdentifier = stored
    #expect(try await any.id == stored.id)
    let errors: [DeviceIdentifierError] = [
      .encryptionInitializationFailed, .keyGenerationFailed(Broken()), .publicKeyExtractionFailed,
      .externalRepresentationFailed(Broken()), .keychainItemNotFound, .keychainUnexpectedData,
      .keychainUnexpectedStatus(-25300),
    ]
    #expect(Set(errors.map(\.localizedDescription)).count == errors.count)
  }
}
