import Concurrency
import Foundation
import PingDeviceId
import PingJourneyPlugin
import PingLogger
import StrictJSON
import Testing

@testable import PingDeviceProfile

@Suite("DeviceProfileCallback")
struct CallbackTests {
  @Test(arguments: [true, false])
  func `what is sent has PingAM's shape, and only what the server asked for`(wantsMetadata: Bool) async throws
  {
    let callback = makeCallback(metadata: wantsMetadata, message: "Looking")
    #expect(callback.metadata == wantsMetadata && !callback.location && callback.message == "Looking")
    let result = await callback.collect { config in
      config.deviceIdentifier = FixedIdentifier()
      config.collectors { [Saying("platform") { ["platform": "Linux"] }] }
    }
    let members = try result.get()
    #expect(members["identifier"] as? String == "device-1")
    #expect(members["version"] as? String == "1.0")
    var expected: JSONObject = ["version": "1.0", "identifier": "device-1"]
    if wantsMetadata { expected["metadata"] = ["platform": ["platform": "Linux"]] }
    #expect(try posted(callback) == .object(expected))
  }

  @Test func `the usual collectors fill the members that PingAM knows, within its node's 3 KB`() async throws
  {
    let callback = makeCallback()
    _ = await callback.collect { $0.deviceIdentifier = FixedIdentifier() }
    let metadata = try #require(try posted(callback)["metadata"])
    for name in ["platform", "version", "device", "deviceName", "model", "brand", "locale", "timeZone"] {
      #expect(metadata["platform"]?[name]?.stringValue?.isEmpty == false, "\(name)")
    }
    #expect(metadata["platform"]?["jailBreakScore"]?.doubleValue != nil)
    #expect(metadata["hardware"]?["cpu"]?.integerValue ?? 0 > 0)
    #expect(metadata["hardware"]?["memory"]?.integerValue ?? 0 > 0)
    #expect(metadata["network"]?["connected"]?.boolValue != nil)
    #expect(metadata["bluetooth"]?["supported"]?.boolValue != nil)
    #expect(metadata["location"] == nil)
    #expect(try postedText(callback).utf8.count < 3 << 10)
  }

  @Test func `a collector that fails, is empty, or says too much keeps nothing else from being sent`()
    async throws
  {
    let callback = makeCallback()
    let logger = MemoryLogger()
    let result = await callback.collect { config in
      config.logger = logger
      config.deviceIdentifier = FixedIdentifier()
      config.collectors {
        [
          Saying<String>("broken") { throw Broken() }, Saying<String>("nothing") { nil },
          Saying("number") { Double.nan }, Saying("large") { String(repeating: "x", count: 8 << 10) },
          Saying("") { "no key" }, Saying(String(repeating: "k", count: 200)) { "long key" },
          Saying("platform") { ["os": "Linux"] }, Saying("mine") { [1, 2] },
        ]
      }
    }
    #expect((try? result.get()) != nil)
    #expect(try posted(callback)["metadata"] == ["platform": ["os": "Linux"], "mine": [1, 2]])
    #expect(logger.warnings.count == 5)
  }

  @Test func `all collectors together are bounded, too`() async throws {
    let callback = makeCallback()
    _ = await callback.collect { config in
      config.deviceIdentifier = FixedIdentifier()
      config.logger = LogManager.none
      config.collectors {
        (0..<5).map { index in Saying("c\(index)") { String(repeating: "x", count: 7000) } }
          + [Saying("small") { "y" }]
      }
    }
    let metadata = try #require(try posted(callback)["metadata"]?.objectValue)
    #expect(metadata.map(\.name) == ["c0", "c1", "c2", "small"])
  }

  @Test func `of two collectors with one key the later one counts; lists are replaced`() async throws {
    let config = DeviceProfileConfig()
    #expect(
      config.collectors.map(\.key) == [
        "platform", "hardware", "network", "telephony", "bluetooth", "browser",
      ])
    let callback = makeCallback()
    _ = await callback.collect { config in
      config.deviceIdentifier = nil
      config.collectors { [Saying("a") { 1 }, Saying("a") { 2 }] }
      config.collectors.append(Saying("b") { 3 })
    }
    #expect(try posted(callback) == ["version": "1.0", "metadata": ["a": 2, "b": 3]])
  }

  @Test func `numbers are those of NSNumber, whole or not, however deep`() async throws {
    struct Facts: Codable {
      var whole = 0.0
      var part = 0.5
      var count = 7
      var flag = true
      var list = [1.0, 2.5]
      var inner = ["a": 3]
    }
    let result = await makeCallback().collect { config in
      config.deviceIdentifier = nil
      config.collectors { [Saying("facts") { Facts() }] }
    }
    let metadata = try #require(try result.get()["metadata"] as? [String: any Sendable])
    let facts = try #require(metadata["facts"] as? [String: any Sendable])
    for name in ["whole", "part", "count"] { #expect(facts[name] as? NSNumber != nil, "\(name)") }
    #expect(facts["whole"] as? Double == 0 && facts["whole"] as? Int == 0)
    #expect(facts["count"] as? Int == 7 && facts["count"] as? Double == 7 && facts["part"] as? Double == 0.5)
    #expect(facts["flag"] as? Bool == true)
    #expect((facts["list"] as? [any Sendable])?.compactMap { $0 as? NSNumber } == [1, 2.5])
    #expect((facts["inner"] as? [String: any Sendable])?["a"] as? NSNumber == 3)
  }

  @Test func `without the device's identifier nothing is sent: it would be another device's profile`()
    async throws
  {
    let callback = makeCallback()
    let result = await callback.collect { config in
      config.logger = LogManager.none
      config.deviceIdentifier = BrokenIdentifier()
    }
    #expect {
      try result.get()
    } throws: { error in
      guard case DeviceProfileError.collectionFailed = error else { return false }
      return true
    }
    #expect(try postedText(callback).isEmpty)
  }

  @Test func `a cancelled collection sends nothing`() async throws {
    let callback = makeCallback()
    let task = Task { () -> Bool in
      withUnsafeCurrentTask { $0?.cancel() }
      let result = await callback.collect { $0.deviceIdentifier = FixedIdentifier() }
      do {
        _ = try result.get()
        return false
      } catch { return error is CancellationError }
    }
    #expect(await task.value)
    #expect(try postedText(callback).isEmpty)
  }

  @Test func `a collector that logs gets the configuration's logger`() async throws {
    final class Talking: DeviceCollector, LoggerAware, Sendable {
      let box = Locked<any PingLogger.Logger>(LogManager.none)
      let key = "talking"
      var logger: any PingLogger.Logger {
        get { box.withLock { $0 } }
        set { box.withLock { $0 = newValue } }
      }
      func collect() async -> String? {
        logger.w("hello", error: nil)
        return nil
      }
    }
    struct TalkingValue: DeviceCollector, LoggerAware {
      let key = "value"
      var logger: any PingLogger.Logger = LogManager.none
      func collect() async -> String? {
        logger.w("hello from a structure", error: nil)
        return nil
      }
    }
    let logger = MemoryLogger()
    _ = await makeCallback().collect { config in
      config.logger = logger
      config.deviceIdentifier = FixedIdentifier()
      config.collectors { [Talking(), TalkingValue()] }
    }
    #expect(logger.warnings == ["hello", "hello from a structure"])
  }

  @Test func `the errors and constants are the published ones`() {
    #expect(DeviceProfileError.collectionFailed.errorDescription?.isEmpty == false)
    #expect(DeviceProfileError.serializationFailed.errorDescription?.isEmpty == false)
    #expect(JourneyConstants.deviceProfileCallback == "DeviceProfileCallback")
    #expect(DeviceProfileConstants.unknown == "Unknown")
  }
}
