#if canImport(CoreLocation)
  public import Combine
  public import CoreLocation

  /// The part of `CLLocationManager` that ``LocationManager`` uses.
  @MainActor public protocol LocationManagerProtocol: AnyObject {
    var delegate: (any CLLocationManagerDelegate)? { get set }
    var desiredAccuracy: CLLocationAccuracy { get set }
    static func locationServicesEnabled() async -> Bool
    static func authorizationStatus() async -> CLAuthorizationStatus
    func requestLocation() async
    func stopUpdatingLocation() async
    func requestWhenInUseAuthorization() async
    func requestAlwaysAuthorization() async
  }

  extension CLLocationManager: LocationManagerProtocol {}

  /// Asks Core Location for the device's location. The system asks the person the first time.
  // Its stored properties are used on the main actor only.
  public class LocationManager: NSObject, ObservableObject, @unchecked Sendable {
    /// The process's manager. It stays alive, because Core Location answers only live objects.
    @MainActor public static let shared = LocationManager(manager: CLLocationManager())

    private static let usageDescription = "NSLocationWhenInUseUsageDescription"

    @MainActor private let manager: any LocationManagerProtocol
    @MainActor private let decision: SharedRequest<Void>
    @MainActor private let place: SharedRequest<LocationInfo>

    @MainActor init(manager: any LocationManagerProtocol) {
      self.manager = manager
      // Nothing takes the system's question away but the person.
      decision = SharedRequest { await manager.requestWhenInUseAuthorization() }
      place = SharedRequest {
        await manager.requestLocation()
      } end: {
        await manager.stopUpdatingLocation()
      }
      super.init()
      manager.delegate = self
      // Enough for servers' comparisons, and faster than the exact location.
      manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
    }

    /// The device's current location.
    ///
    /// - Throws: ``LocationError``, `CancellationError`
    @MainActor func location() async throws -> LocationInfo {
      guard Bundle.main.object(forInfoDictionaryKey: Self.usageDescription) != nil else {
        throw LocationError.missingPrivacyConsent
      }
      guard await type(of: manager).locationServicesEnabled() else {
        throw LocationError.locationServicesDisabled
      }
      if await type(of: manager).authorizationStatus() == .notDetermined {
        try await decision.answer()
      }
      switch await type(of: manager).authorizationStatus() {
      case .notDetermined, .denied: throw LocationError.authorizationDenied
      case .restricted: throw LocationError.authorizationRestricted
      default: break
      }
      return try await place.answer()
    }
  }

  extension LocationManager: @preconcurrency CLLocationManagerDelegate {
    @MainActor public func locationManager(
      _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
    ) {
      if status != .notDetermined { decision.give(.success(())) }
    }

    @MainActor public func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      guard let coordinate = locations.last?.coordinate,
        let location = LocationInfo(latitude: coordinate.latitude, longitude: coordinate.longitude)
      else { return }
      place.give(.success(location))
    }

    @MainActor public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      place.give(.failure(LocationError.locationFailed(error)))
    }
  }

  /// Adapts a location manager to a provider.
  struct SystemLocation: LocationProvider {
    /// `nil` means the shared manager.
    let manager: LocationManager?

    func location() async throws -> LocationInfo {
      if let manager { return try await manager.location() }
      return try await LocationManager.shared.location()
    }
  }
#endif
