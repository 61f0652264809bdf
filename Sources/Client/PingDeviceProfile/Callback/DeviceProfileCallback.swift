public import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate
internal import StrictJSON

#if canImport(Combine)
  public import Combine
#endif

/// Asks for this device's profile. Call ``collect(configBlock:)``, then continue to the next node.
// Its stored properties are guarded.
public class DeviceProfileCallback: AbstractCallback, JourneyAware, @unchecked Sendable {
  @Guarded public var journey: Journey?

  /// Whether the server asks for facts about the device.
  @Guarded public private(set) var metadata: Bool = false

  /// Whether the server asks for the device's location.
  @Guarded public private(set) var location: Bool = false

  /// The server's message to the person.
  @Guarded public private(set) var message: String = ""

  public override func initValue(name: String, value: Any) {
    switch name {
    case "metadata": metadata = OutputValue.bool(value) ?? metadata
    case "location": location = OutputValue.bool(value) ?? location
    case JourneyConstants.message: message = OutputValue.string(value) ?? message
    default: break
    }
  }

  /// Collects the profile that the server asked for, and fills in the callback's input.
  ///
  /// Facts that a collector cannot read are omitted. The location is sent only when the person agrees; see ``LocationCollector``.
  ///
  /// - Parameter configBlock: May change the configuration, whose `metadata` and `location` start as the server asks.
  /// - Returns: The profile that is sent, its numbers as `NSNumber`, which casts to `Int` and `Double` alike. On failure, a
  ///   ``DeviceProfileError`` or `CancellationError`; the input then stays as received.
  @discardableResult
  public func collect(
    configBlock: @escaping @Sendable (DeviceProfileConfig) -> Void = { _ in }
  ) async -> Result<[String: any Sendable], any Error> {
    let config = DeviceProfileConfig()
    if let logger = journey?.config.logger { config.logger = logger }
    config.metadata = metadata
    config.location = location
    config.message = message
    configBlock(config)
    do {
      let profile = try await DeviceProfileCollector(config: config).profile()
      try Task.checkCancellation()
      _ = input(profile.text)
      return .success(profile.members)
    } catch {
      config.logger.e("The device profile could not be collected", error: error)
      return .failure(error)
    }
  }
}

#if canImport(Combine)
  extension DeviceProfileCallback: ObservableObject {}
#endif
