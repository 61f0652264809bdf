#if os(Linux)
  internal import Foundation
  internal import MessageBus
  internal import PingDeviceProfile

  /// This program as a GeoClue client, for one bus connection.
  ///
  /// The interfaces are `org.freedesktop.GeoClue2`: <https://www.freedesktop.org/software/geoclue/docs/>.
  struct GeoClueClient {
    private static let service = "org.freedesktop.GeoClue2"
    private static let managerPath = "/org/freedesktop/GeoClue2/Manager"

    private let bus: Bus
    private let path: String
    /// The unique name of the connection that owned the service when this client was made.
    private let owner: String

    init(on bus: Bus) throws {
      self.bus = bus
      let reply = try bus.call(
        .init(
          of: Self.service, path: Self.managerPath, interface: "\(Self.service).Manager",
          member: "GetClient"))
      path = try reply.string("o")
      guard let owner = reply.sender else { throw BusError.malformed("the reply has no sender") }
      self.owner = owner
    }

    /// Waits for the first location.
    func location(desktopID: String, accuracy: GeoClueLocationProvider.Accuracy) throws -> LocationInfo {
      defer { leave() }
      try set("DesktopId", .variantString(desktopID))
      try set("RequestedAccuracyLevel", .variantUInt32(accuracy.rawValue))
      var place: String?
      try bus.subscribe(
        .init(of: owner, path: path, interface: "\(Self.service).Client", member: "LocationUpdated")
      ) { [owner] message in
        // Any program on the bus can send signals to this connection: only GeoClue's own count.
        guard message.sender == owner, (try? message.string("o")) != nil, let new = try? message.string("o")
        else { return }
        place = new
      }
      try bus.call(method("Start"))
      let found = try bus.wait { place }
      let location = try LocationInfo(
        latitude: coordinate("Latitude", of: found), longitude: coordinate("Longitude", of: found))
      guard let location else { throw BusError.malformed("the coordinates are out of range") }
      return location
    }

    /// Stops and deletes the client. Failures do not matter: GeoClue removes the client when the bus connection ends.
    private func leave() {
      _ = try? bus.call(method("Stop"), patience: 2, isCleaningUp: true)
      _ = try? bus.call(
        .init(
          of: owner, path: Self.managerPath, interface: "\(Self.service).Manager",
          member: "DeleteClient"),
        with: [.objectPath(path)], patience: 2, isCleaningUp: true)
    }

    private func method(_ member: String) -> Bus.Member {
      .init(of: owner, path: path, interface: "\(Self.service).Client", member: member)
    }

    private func set(_ property: String, _ value: Bus.Argument) throws {
      try bus.call(
        .init(
          of: owner, path: path, interface: "org.freedesktop.DBus.Properties", member: "Set"),
        with: [.string("\(Self.service).Client"), .string(property), value])
    }

    private func coordinate(_ name: String, of place: String) throws -> Double {
      try bus.call(
        .init(
          of: owner, path: place, interface: "org.freedesktop.DBus.Properties", member: "Get"),
        ["\(Self.service).Location", name]
      ).variantDouble()
    }
  }

  /// Why GeoClue did not report a location.
  struct GeoClueFailure: LocalizedError {
    let errorDescription: String?

    init(_ text: String) { errorDescription = text }
  }

  extension LocationError {
    init(_ error: BusError) {
      switch error {
      case .noBus(let reason): self = .locationFailed(GeoClueFailure("There is no system bus (\(reason))."))
      case .noDescriptors: self = .locationFailed(GeoClueFailure("This program has too many files open."))
      case .disconnected: self = .locationFailed(GeoClueFailure("GeoClue disconnected."))
      case .malformed(let reason):
        self = .locationFailed(GeoClueFailure("GeoClue's answer is invalid (\(reason))."))
      case .refused("org.freedesktop.DBus.Error.AccessDenied", _): self = .authorizationDenied
      case .refused("org.freedesktop.DBus.Error.ServiceUnknown", _),
        .refused("org.freedesktop.DBus.Error.NameHasNoOwner", _):
        self = .locationServicesDisabled
      case .refused(let name, let message):
        self = .locationFailed(GeoClueFailure("GeoClue refused with \(name): \(message)"))
      }
    }
  }
#endif
