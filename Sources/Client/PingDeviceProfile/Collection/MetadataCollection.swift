internal import Foundation
internal import PingLogger
internal import StrictJSON

/// The limits of a profile. PingAM's node refuses more than 3 KB by default, and this module's collectors stay far below; the limits
/// are for apps' collectors.
enum ProfileLimits {
  /// The most bytes of JSON from one collector.
  static let collector = 8 << 10

  /// The most bytes of JSON from all collectors.
  static let metadata = 24 << 10

  /// The most characters of a text from the system, such as a device's name.
  static let text = 128
}

extension Array where Element == any DeviceCollector {
  /// The collected facts by the collectors' keys. A failed collector, or one with too much data, is logged and omitted; the others
  /// are sent.
  ///
  /// - Throws: Only `CancellationError`.
  func collect(logger: any Logger) async throws -> JSONObject {
    var metadata = JSONObject()
    for var collector in self {
      try Task.checkCancellation()
      let key = collector.key
      guard !key.isEmpty, key.utf8.count <= ProfileLimits.text else {
        logger.w("\(type(of: collector)) has no usable key", error: nil)
        continue
      }
      if var aware = collector as? any DeviceCollector & LoggerAware {
        aware.logger = logger
        collector = aware  // A collector that is a structure was copied.
      }
      do {
        guard let value = try await collector.json() else { continue }
        var extended = metadata
        extended[key] = value
        guard extended.serialized.count <= ProfileLimits.metadata else { throw TooLarge() }
        metadata = extended
      } catch {
        logger.w("\(key) is not in the device profile", error: error)
      }
    }
    return metadata
  }
}

extension DeviceCollector {
  /// The collected facts as JSON.
  fileprivate func json() async throws -> JSONValue? {
    guard let data = try await collect() else { return nil }
    let bytes = try JSONEncoder().encode(data)
    guard bytes.count <= ProfileLimits.collector else { throw TooLarge() }
    return try JSONValue(parsing: bytes)
  }
}

/// The collected facts exceed the limits.
private struct TooLarge: LocalizedError {
  var errorDescription: String? {
    "It has more than \(ProfileLimits.collector) bytes, or all collectors together have more than \(ProfileLimits.metadata)."
  }
}
