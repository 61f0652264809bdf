internal import Concurrency

/// All devices of a load.
package final class LoadFleet: Sendable {
  private let devices: Locked<[LoadDevice]>
  private let folder: DeviceFolder?

  /// - Parameters:
  ///   - usernames: the accounts, one for each device.
  ///   - folder: the store of enrolments, whose enrolments of these accounts are loaded. `nil` forgets enrolments at the end.
  /// - Throws: ``DeviceFolderError``.
  package init(usernames: [String], folder: DeviceFolder?) throws {
    var devices = usernames.map(LoadDevice.init)
    if let folder {
      let places = Dictionary(usernames.enumerated().map { ($1, $0) }) { first, _ in first }
      try folder.read { username, enrolment in
        if let place = places[username] { devices[place].take(enrolment) }
      }
    }
    self.devices = Locked(devices)
    self.folder = folder
  }

  package var count: Int { devices.withLock { $0.count } }

  subscript(index: Int) -> LoadDevice { devices.withLock { $0[index] } }

  /// The indices of devices that have an enrolment of this kind, or lack it.
  package func indices(having kind: EnrolmentKind, _ has: Bool = true) -> [Int] {
    devices.withLock { devices in devices.indices.filter { devices[$0].has(kind) == has } }
  }

  package func username(of index: Int) -> String { devices.withLock { $0[index].username } }

  /// Stores a new enrolment of the device.
  ///
  /// - Throws: ``LoadFailure`` of the kind `local` when it cannot be written: it would then be known only to the server.
  func enrol(_ enrolment: Enrolment, of index: Int) throws(LoadFailure) {
    let username = devices.withLock { devices in
      devices[index].take(enrolment)
      return devices[index].username
    }
    do { try folder?.append(enrolment, of: username) } catch {
      throw LoadFailure(.local, "a device's enrolment cannot be kept: \(error)")
    }
  }
}
