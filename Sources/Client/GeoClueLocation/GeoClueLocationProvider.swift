#if os(Linux)
  internal import MessageBus
  public import PingDeviceProfile

  /// Asks GeoClue, the location service of Linux desktops, where the device is.
  ///
  /// GeoClue asks nobody on behalf of an ordinary program, so nothing here does either: a `LocationCollector` asks the
  /// person first. GeoClue itself may ask a web service which place the wireless networks nearby belong to; its
  /// configuration (`/etc/geoclue/geoclue.conf`) says which.
  public struct GeoClueLocationProvider: LocationProvider {
    /// How exactly the place is asked for. GeoClue uses only what is needed for it.
    public enum Accuracy: UInt32, Sendable {
      case country = 1
      case city = 4
      case neighborhood = 5
      case street = 6
      /// With a satellite receiver, where there is one.
      case exact = 8
    }

    private let desktopID: String
    private let accuracy: Accuracy
    private let timeout: Duration
    private let busAddress: String?
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - desktopID: The name of the app's desktop file without `.desktop`, by which GeoClue and the person's settings
    ///     know it.
    ///   - accuracy: How exactly the place is asked for.
    ///   - timeout: How long to wait for a place.
    ///   - busAddress: The address of the bus that GeoClue is on; without one the system bus, which
    ///     `DBUS_SYSTEM_BUS_ADDRESS` may move.
    public init(
      desktopID: String, accuracy: Accuracy = .street, timeout: Duration = .seconds(20),
      busAddress: String? = nil
    ) {
      self.init(
        desktopID: desktopID, accuracy: accuracy, timeout: timeout, busAddress: busAddress,
        clock: ContinuousClock())
    }

    package init(
      desktopID: String, accuracy: Accuracy, timeout: Duration, busAddress: String?,
      clock: any Clock<Duration>
    ) {
      self.desktopID = desktopID
      self.accuracy = accuracy
      self.timeout = timeout
      self.busAddress = busAddress
      self.clock = clock
    }

    public func location() async throws -> LocationInfo {
      do {
        return try await withThrowingTaskGroup(of: LocationInfo.self) { group in
          defer { group.cancelAll() }
          group.addTask { [busAddress, desktopID, accuracy] in
            try await Bus.withConnection(to: busAddress) { bus in
              try GeoClueClient(on: bus).location(desktopID: desktopID, accuracy: accuracy)
            }
          }
          group.addTask { [clock, timeout] in
            try await clock.sleep(for: timeout)
            throw LocationError.locationFailed(NoPlaceInTime(limit: timeout))
          }
          guard let location = try await group.next() else { throw CancellationError() }
          return location
        }
      } catch let error as BusError {
        throw LocationError(error)
      }
    }
  }
#endif
