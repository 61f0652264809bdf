public import Foundation
public import PingLogger
public import PingOrchestrate

/// Finds out where the device is, when the person agrees.
///
/// On Apple platforms `LocationCollector()` uses Core Location, and the system asks the person. Elsewhere no system asks:
/// there it collects nothing, and an app gives the profile a collector with a provider, and with somebody to ask:
///
/// ```swift
/// config.collectors.append(LocationCollector(provider: GeoClueLocationProvider(desktopID: "my-app"), consent: question))
/// ```
// Its stored properties are immutable or guarded.
public class LocationCollector: NSObject, DeviceCollector, LoggerAware, @unchecked Sendable {
  public typealias DataType = LocationInfo

  public let key = "location"
  @Guarded public var logger: any Logger = LogManager.warning
  /// What the server has the person told.
  @Guarded var message = ""

  private let provider: (any LocationProvider)?
  /// `nil` where the system asks.
  private let consent: (any LocationConsent)?

  #if canImport(CoreLocation)
    /// Uses Core Location, through `locationManager` or the shared one. The system asks the person, once for the app.
    public init(locationManager: LocationManager? = nil) {
      provider = SystemLocation(manager: locationManager)
      consent = nil
      super.init()
    }
  #else
    /// Collects nothing: there is no system here that would ask the person.
    public override init() {
      provider = nil
      consent = nil
      super.init()
    }
  #endif

  /// Asks `consent` every time, and `provider` when the person has agreed.
  public init(provider: any LocationProvider, consent: any LocationConsent) {
    self.provider = provider
    self.consent = consent
    super.init()
  }

  /// Where the device is; `nil` when the person does not agree, or when it cannot be found out, which is logged.
  public func collect() async -> LocationInfo? {
    guard let provider else {
      logger.w(
        "The server asks for the location, and the app has no LocationCollector with a provider", error: nil)
      return nil
    }
    if let consent {
      guard await consent.allowsLocation(message: message), !Task.isCancelled else {
        logger.i("The person does not agree that the location is sent")
        return nil
      }
    }
    do { return try await provider.location() } catch {
      logger.w("The location is left out of the device profile", error: error)
      return nil
    }
  }
}
