#if canImport(CoreLocation)
  public import Combine
  public import CoreLocation

  /// What ``LocationManager`` needs of a `CLLocationManager`.
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

  /// Asks Core Location where the device is. The system asks the person, the first time.
  // Its stored properties are used on the main actor only.
  public class LocationManager: NSObject, ObservableObject, @unchecked Sendable {
    /// The process's one: Core Location answers objects that live.
    @MainActor public static let shared = LocationManager(manager: CLLocationManager())

    private static let usageDescription = "NSLocationWhenInUseUsageDescription"

    @MainActor private let manager: any LocationManagerProtocol
    @MainActor private var deciding: [CheckedContinuation<Void, any Error>] = []
    @MainActor private var locating: [CheckedContinuation<LocationInfo, any Error>] = []

    @MainActor init(manager: any LocationManagerProtocol) {
      self.manager = manager
      super.init()
      manager.delegate = self
      // As much as servers' comparisons need, and sooner than the exact place.
      manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
    }

    /// Where the device is now.
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

    /// Runs `body`, and ends everybody's waiting when this task is cancelled: Core Location has one answer for all.
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
      let waiting = deciding
      deciding = []
      for continuation in waiting { continuation.resume(with: result) }
    }

    @MainActor private func answer(_ result: Result<LocationInfo, any Error>) {
      let waiting = locating
      locating = []
      for continuation in waiting { continuation.resume(with: result) }
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

  /// A location manager as a provider.
  struct SystemLocation: LocationProvider {
    /// `nil` for the shared one.
    let manager: LocationManager?

    func location() async throws -> LocationInfo {
      if let manager { return try await manager.location() }
      return try await LocationManager.shared.location()
    }
  }
#endif
