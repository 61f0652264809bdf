internal import Foundation
public import PingCommons
internal import PingDeviceId
internal import PingLogger
internal import StrictJSON

/// Collects a whole profile.
// Its stored property is immutable; see `DeviceProfileConfig` for what it holds.
public class DeviceProfileCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = DeviceProfileResult

  /// Empty, because the profile is not a member of another object.
  public let key: String = ""

  private let config: DeviceProfileConfig

  /// Collects a profile as configured.
  public init(config: DeviceProfileConfig) { self.config = config }

  /// - Throws: ``DeviceProfileError/collectionFailed``, `CancellationError`
  public func collect() async throws -> DeviceProfileResult? {
    var identifier: String?
    if let source = config.deviceIdentifier {
      do { identifier = try await source.id } catch {
        try Task.checkCancellation()
        config.logger.e("The device's identifier is not available", error: error)
        throw DeviceProfileError.collectionFailed
      }
    }
    var metadata: JSONObject?
    if config.metadata {
      metadata = try await config.collectors.filter { !($0 is LocationCollector) }.collect(
        logger: config.logger)
    }
    var location: LocationInfo?
    if config.location {
      let collector =
        config.collectors.lazy.compactMap { $0 as? LocationCollector }.last ?? LocationCollector()
      collector.logger = config.logger
      collector.message = config.message
      location = await collector.collect()
    }
    try Task.checkCancellation()
    return DeviceProfileResult(identifier: identifier, json: metadata, location: location)
  }

  /// The profile as it is sent.
  ///
  /// - Throws: As ``collect()``; ``DeviceProfileError/serializationFailed``
  func profile() async throws -> (text: String, members: [String: any Sendable]) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let result = try await collect(), let members = result.dictionary,
      let json = try? encoder.encode(result)
    else { throw DeviceProfileError.serializationFailed }
    return (String(decoding: json, as: UTF8.self), members.mapValues(Self.numbered))
  }

  /// The value with every number in it as `NSNumber`, which casts to `Int` and `Double` alike: apps of the published SDK ask for both.
  private static func numbered(_ value: any Sendable) -> any Sendable {
    switch value {
    case let members as [String: any Sendable]: members.mapValues(numbered)
    case let elements as [any Sendable]: elements.map(numbered)
    case let number as Int where type(of: value) == Int.self: NSNumber(value: number)
    case let number as Double where type(of: value) == Double.self: NSNumber(value: number)
    default: value
    }
  }
}

/// A device's profile.
public struct DeviceProfileResult: Codable, Sendable {
  /// The version of the profile's form, `1.0`.
  public let version: String?

  /// The device's identifier; `nil` when the app sends none.
  public let identifier: String?

  /// The collected facts by the collectors' keys; `nil` when they were not asked for.
  public let metadata: [String: AnyValue]?

  /// The device's location; `nil` when it was not asked for, the person did not agree, or it could not be determined.
  public let location: LocationInfo?

  init(identifier: String?, json: JSONObject?, location: LocationInfo?) {
    version = "1.0"
    self.identifier = identifier
    metadata = json.map { $0.dictionary.mapValues { AnyValue($0) } }
    self.location = location
  }
}
