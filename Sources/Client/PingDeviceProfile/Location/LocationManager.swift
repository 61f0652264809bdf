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
    @MainActor private var deciding: [CheckedContinuation<Void, any Error>] = []
    @MainActor private var locating: [CheckedContinuation<LocationInfo, any Error>] = []

    @MainActor init(manager: any LocationManagerProtocol) {
      self.manager = manager
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
        await manager.requestWhenInUseAuthorization()
        try await untilCancelled {
          try await withCheckedThrowingContinuation { deciding.append($0) }
        }
      }
      switch await type(of: manager).authorizationStatus() {
      case .notDetermined, .denied: throw LocationError.authorizationDenied
      case .restricted: throw LocationError.authorizationRestricted
      default: break
      }
      await manager.requestLocation()
      return try await untilCancelled {
        try await withCheckedThrowingContinuation { locating.append($0) }
      }
    }

    /// Runs `body`, and ends all waiting calls when this task is cancelled: Core Location has one answer for all of them.
    @MainActor private func untilCancelled<Result: Sendable>(
      _ body: @MainActor () async throws -> Result
    ) async throws -> Result {
      try await withTaskCancellationHandler {
        try Task.checkCancellation()
        return try await body()
      } onCancel: {
        Task { @MainActor in
          self.decide(.failure(CancellationError()))
          self.answer(.failure(CancellationError()))
        }
      }
    }

    @MainActor private func decide(_ result: Result<Void, any Error>) {
      for continuation in deciding { continuation.resume(with: result) }
      deciding = []
    }

    @MainActor private func answer(_ result: Result<LocationInfo, any Error>) {
      for continuation in locating { continuation.resume(with: result) }
      locating = []
    }
  }

  extension LocationManager: @preconcurrency CLLocationManagerDelegate {
    @MainActor public func locationManager(
      _ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus
    ) {
      if status != .notDetermined { decide(.success(())) }
    }

    @MainActor public func locationManager(
      _ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]
    ) {
      guard let coordinate = locations.last?.coordinate,
        let location = LocationInfo(latitude: coordinate.latitude, longitude: coordinate.longitude)
      else { return }
      answer(.success(location))
    }

    @MainActor public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
      answer(.failure(LocationError.locationFailed(error)))
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
