internal import Concurrency
public import PingDeviceId
public import PingLogger
public import PingOrchestrate

/// The content of a device profile. Set it in the closure of `collect`; later changes have no effect.
// Its stored properties are guarded; the collectors are the app's objects, used by one collection at a time.
public final class DeviceProfileConfig: @unchecked Sendable {
  /// Whether to run the ``collectors``. In a callback's closure, the initial value is what the server asks for.
  @Guarded public var metadata: Bool = false

  /// Whether to determine the device's location. In a callback's closure, the initial value is what the server asks for.
  @Guarded public var location: Bool = false

  /// Receives messages about missing facts. In a callback's closure, the initial value is the journey's logger.
  @Guarded public var logger: any Logger = LogManager.warning

  /// The identifier of this device; `nil` sends no identifier.
  @Guarded public var deviceIdentifier: (any DeviceIdentifier)? = try? DefaultDeviceIdentifier()

  /// The collectors, in order; of two with the same key the later one counts. A ``LocationCollector`` among them replaces the
  /// default one.
  public var collectors: [any DeviceCollector] {
    get { chosen.value }
    set { chosen = Transferred(newValue) }
  }

  /// The server's message to the person.
  @Guarded var message = ""

  @Guarded private var chosen = Transferred(DefaultDeviceCollector.defaultDeviceCollectors())

  public init() {}

  /// Replaces ``collectors`` with those that `configBlock` returns.
  public func collectors(_ configBlock: () -> [any DeviceCollector]) { collectors = configBlock() }
}
