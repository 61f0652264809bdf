public import PingDeviceId
public import PingLogger
public import PingOrchestrate

/// What goes into a device profile. Set it in the closure of `collect`; later changes have no effect.
// Its stored properties are guarded; the collectors are the app's objects, used by one collection at a time.
public final class DeviceProfileConfig: @unchecked Sendable {
  /// Whether the ``collectors`` are asked. In a callback's closure: what the server wants.
  @Guarded public var metadata: Bool = false

  /// Whether the device's location is asked for. In a callback's closure: what the server wants.
  @Guarded public var location: Bool = false

  /// Hears what could not be collected. In a callback's closure: the journey's logger.
  @Guarded public var logger: any Logger = LogManager.warning

  /// Tells this device from others; `nil` sends no identifier.
  @Guarded public var deviceIdentifier: (any DeviceIdentifier)? = try? DefaultDeviceIdentifier()

  /// What is asked about the device, in this order; of two collectors with one key the later one counts. A
  /// ``LocationCollector`` among them takes the place of the usual one.
  public var collectors: [any DeviceCollector] {
    get { box.wrappedValue.collectors }
    set { box.wrappedValue = Box(collectors: newValue) }
  }

  /// What the server has the person told.
  @Guarded var message = ""

  // Collectors need not be Sendable; see above.
  private struct Box: @unchecked Sendable { var collectors: [any DeviceCollector] }
  private let box = Guarded(wrappedValue: Box(collectors: DefaultDeviceCollector.defaultDeviceCollectors()))

  /// Collects the default things when it is asked for them.
  public init() {}

  /// Sets ``collectors`` to what `configBlock` returns, in place of the ones before.
  public func collectors(_ configBlock: () -> [any DeviceCollector]) { collectors = configBlock() }
}
