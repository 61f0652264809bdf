#if os(Linux)
  internal import Concurrency
  internal import MessageBus
  public import PingDeviceProfile

  /// Asks GeoClue, the location service of Linux desktops, for the device's location.
  ///
  /// GeoClue does not ask the person on behalf of an ordinary program; a `LocationCollector` does so first. GeoClue itself may ask a
  /// web service about nearby wireless networks; its configuration (`/etc/geoclue/geoclue.conf`) says which.
  public struct GeoClueLocationProvider: LocationProvider {
    /// The requested accuracy. GeoClue uses only the sources that this accuracy needs.
    public enum Accuracy: UInt32, Sendable {
      case country = 1
      case city = 4
      case neighborhood = 5
      case street = 6
      /// Uses a satellite receiver where there is one.
      case exact = 8
    }

    private let desktopID: String
    private let accuracy: Accuracy
    private let timeout: Duration
    private let busAddress: String?
    /// Measures the timeout.
    package var clock: any Clock<Duration> = ContinuousClock()

    /// - Parameters:
    ///   - desktopID: The name of the app's desktop file without `.desktop`, which identifies the app in GeoClue and in the person's
    ///     settings.
    ///   - accuracy: The requested accuracy.
    ///   - timeout: How long to wait for the location.
    ///   - busAddress: The address of GeoClue's bus; `nil` is the system bus, or the one in `DBUS_SYSTEM_BUS_ADDRESS`.
    public init(
      desktopID: String, accuracy: Accuracy = .street, timeout: Duration = .seconds(20),
      busAddress: String? = nil
    ) {
      self.desktopID = desktopID
      self.accuracy = accuracy
      self.timeout = timeout
      self.busAddress = busAddress
    }

    public func location() async throws -> LocationInfo {
      do {
        return try await firstOf(
          { [busAddress, desktopID, accuracy] in
            try await Bus.withConnection(to: busAddress) { bus in
              try GeoClueClient(on: bus).location(desktopID: desktopID, accuracy: accuracy)
            }
          }, orAfter: timeout, on: clock,
          throwing: LocationError.locationFailed(
            GeoClueFailure("GeoClue found no location within \(timeout).")))
      } catch let error as BusError {
        throw LocationError(error)
      }
    }
  }
#endif
