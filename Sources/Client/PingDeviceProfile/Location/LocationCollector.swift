public import Foundation
public import PingLogger
public import PingOrchestrate

/// Determines the device's location, when the person agrees.
///
/// On Apple platforms `LocationCollector()` uses Core Location, and the system asks the person. Other systems do not ask, so it
/// collects nothing there; an app adds a collector with a provider and a consent instead:
///
/// ```swift
/// config.collectors.append(LocationCollector(provider: GeoClueLocationProvider(desktopID: "my-app"), consent: question))
/// ```
// Its stored properties are immutable or guarded.
public class LocationCollector: NSObject, DeviceCollector, LoggerAware, @unchecked Sendable {
  public typealias DataType = LocationInfo

  public let key = "location"
  @Guarded public var logger: any Logger = LogManager.warning
  /// The server's message to the person.
  @Guarded var message = ""

  private let provider: (any LocationProvider)?
  /// Asks the person; `nil` where the system does so.
  private let consent: (any LocationConsent)?

  #if canImport(CoreLocation)
    /// Uses Core Location, through `locationManager` or the shared manager. The system asks the person once for the app.
    public init(locationManager: LocationManager? = nil) {
      (provider, consent) = (SystemLocation(manager: locationManager), nil)
      super.init()
    }
  #else
    /// Collects nothing: this system does not ask the person.
    public override init() { (provider, consent) = (nil, nil) }
  #endif

  /// Asks `consent` every time, and `provider` after the person has agreed.
  public init(provider: any LocationProvider, consent: any LocationConsent) {
    (self.provider, self.consent) = (provider, consent)
    super.init()
  }

  /// The device's location; `nil` when the person does not agree, or when it cannot be determined, which is logged.
  public func collect() async -> LocationInfo? {
    guard let provider else {
      logger.w(
        "The server asks for the location, and the app has no LocationCollector with a provider", error: nil)
      return nil
    }
    if let consent {
      guard await consent.allowsLocation(message: message), !Task.isCancelled else {
        logger.i("The person did not agree to send the location")
        return nil
      }
    }
    do { return try await provider.location() } catch {
      logger.w("The location is not in the device profile", error: error)
      return nil
    }
  }
}
