import Concurrency
import Foundation
import PingDeviceId
import PingDeviceProfile
import PingJourneyPlugin
import PingLogger
import StrictJSON
import Testing

struct Broken: Error {}

struct FixedIdentifier: DeviceIdentifier {
  var id: String { get async throws { "device-1" } }
}

struct BrokenIdentifier: DeviceIdentifier {
  var id: String { get async throws { throw Broken() } }
}

/// Says what it is told to say under any key.
struct Saying<Data: Codable & Sendable>: DeviceCollector {
  let key: String
  let answer: @Sendable () async throws -> Data?

  init(_ key: String, _ answer: @escaping @Sendable () async throws -> Data?) {
    self.key = key
    self.answer = answer
  }

  func collect() async throws -> Data? { try await answer() }
}

/// A person who agrees or not, and what they were told.
final class Person: LocationConsent {
  let agrees: Bool
  let told = Locked<[String]>([])

  init(agrees: Bool) { self.agrees = agrees }

  func allowsLocation(message: String) async -> Bool {
    told.withLock { $0.append(message) }
    return agrees
  }
}

/// Knows where the device is, and how often it was asked.
final class Place: LocationProvider {
  let asked = Locked(0)
  private let find: @Sendable () throws -> LocationInfo?

  init(
    _ find: @escaping @Sendable () throws -> LocationInfo? = { LocationInfo(latitude: 48.1, longitude: 11.5) }
  ) {
    self.find = find
  }

  func location() async throws -> LocationInfo {
    asked.withLock { $0 += 1 }
    return try #require(try find())
  }
}

final class MemoryLogger: PingLogger.Logger, Sendable {
  private let lines = Locked<[String]>([])
  var warnings: [String] { lines.withLock { $0 } }
  func d(_ message: String) {}
  func i(_ message: String) {}
  func w(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
  func e(_ message: String, error: (any Error)?) { lines.withLock { $0.append(message) } }
}

/// The callback as the server sends it.
func makeCallback(
  metadata: Bool = true, location: Bool = false, message: String = ""
) -> DeviceProfileCallback {
  let callback = DeviceProfileCallback()
  let json: [String: Any] = [
    "type": "DeviceProfileCallback",
    "output": [
      ["name": "metadata", "value": metadata], ["name": "location", "value": location],
      ["name": "message", "value": message],
    ] as [[String: Any]],
    "input": [["name": "IDToken1", "value": ""]],
  ]
  _ = (callback.initialize as ([String: Any]) -> any Callback)(json)
  return callback
}

/// What the callback would post: the profile as JSON.
func posted(_ callback: DeviceProfileCallback) throws -> JSONValue {
  let text = try postedText(callback)
  return try JSONValue(parsing: text)
}

func postedText(_ callback: DeviceProfileCallback) throws -> String {
  let inputs = try #require(callback.payload()["input"] as? [[String: Any]])
  #expect(inputs.count == 1 && inputs.first?["name"] as? String == "IDToken1")
  return try #require(inputs.first?["value"] as? String)
}
