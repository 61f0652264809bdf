internal import Foundation
internal import PingLogger
internal import StrictJSON

/// How much a profile may hold. PingAM's node refuses more than 3 KB unless it is set up for more, and ours alone stay
/// far below; the limits are for collectors of apps.
enum ProfileLimits {
  /// Bytes of JSON of one collector.
  static let collector = 8 << 10

  /// Bytes of JSON of all of them.
  static let metadata = 24 << 10

  /// Characters of a text that the system gives, such as a device's name.
  static let text = 128
}

extension Array where Element == any DeviceCollector {
  /// What the collectors find out, by their keys. What one of them cannot find out, or what is too large, is logged and
  /// left out: none of them keeps the others from being sent.
  ///
  /// - Throws: `CancellationError` only.
  func collect(logger: any Logger) async throws -> JSONObject {
    var metadata = JSONObject()
    for collector in self {
      try Task.checkCancellation()
      let key = collector.key
      guard !key.isEmpty, key.utf8.count <= ProfileLimits.text else {
        logger.w("\(type(of: collector)) has no key that can be sent", error: nil)
        continue
      }
      if var aware = collector as? any LoggerAware { aware.logger = logger }
      do {
        guard let value = try await collector.json() else { continue }
        var extended = metadata
        extended[key] = value
        guard extended.serialized.count <= ProfileLimits.metadata else { throw TooLarge() }
        metadata = extended
      } catch {
        logger.w("\(key) is left out of the device profile", error: error)
      }
    }
    return metadata
  }
}

extension DeviceCollector {
  /// What it found out, in its JSON form.
  fileprivate func json() async throws -> JSONValue? {
    guard let data = try await collect() else { return nil }
    let bytes = try JSONEncoder().encode(data)
    guard bytes.count <= ProfileLimits.collector else { throw TooLarge() }
    return try JSONValue(parsing: bytes)
  }
}

/// More was found out than can be sent.
private struct TooLarge: LocalizedError {
  var errorDescription: String? {
    "It has more than \(ProfileLimits.collector) bytes, or all together more than \(ProfileLimits.metadata)."
  }
}
