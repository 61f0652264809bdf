public import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate
internal import StrictJSON

#if canImport(Combine)
  public import Combine
#endif

/// Asks for the profile of this device. Call ``collect(configBlock:)``, then go on to the next node.
// Its stored properties are guarded.
public class DeviceProfileCallback: AbstractCallback, JourneyAware, @unchecked Sendable {
  @Guarded public var journey: Journey?

  /// Whether the server wants to know what device this is.
  @Guarded public private(set) var metadata: Bool = false

  /// Whether the server wants to know where the device is.
  @Guarded public private(set) var location: Bool = false

  /// What the person is to be told about it.
  @Guarded public private(set) var message: String = ""

  /// Takes one output.
  public override func initValue(name: String, value: Any) {
    switch name {
    case "metadata": metadata = OutputValue.bool(value) ?? metadata
    case "location": location = OutputValue.bool(value) ?? location
    case JourneyConstants.message: message = OutputValue.string(value) ?? message
    default: break
    }
  }

  /// Collects what the server asked for, and fills in the callback's input.
  ///
  /// What a collector cannot find out is left out. The location is sent only when the person agrees; see
  /// ``LocationCollector``.
  ///
  /// - Parameter configBlock: May change what is collected. `metadata` and `location` of its configuration are what the
  ///   server asked for.
  /// - Returns: What is sent, or a ``DeviceProfileError``, or a `CancellationError`; the input then stays as received.
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
      config.logger.e("The device profile cannot be collected", error: error)
      return .failure(error)
    }
  }

  /// The callback with the profile that was collected; as received when there is none.
  public override func payload() -> [String: Any] { super.payload() }
}

#if canImport(Combine)
  extension DeviceProfileCallback: ObservableObject {}
#endif
