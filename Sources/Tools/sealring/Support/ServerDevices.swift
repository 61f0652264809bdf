import ArgumentParser
import Foundation
import PingDeviceClient
import StrictJSON

/// A kind of devices that the server keeps.
enum DeviceKind: String, ExpressibleByArgument, CaseIterable {
  case bound, push, webauthn, oath, profile
}

/// The devices of one kind, for commands that are the same for all kinds.
struct ServerDevices {
  /// What is shown of a device.
  struct Entry {
    let id: String
    let name: String
    let addedAt: Date?
    let usedAt: Date?
    let record: JSONValue
  }

  let list: () async throws -> [Entry]
  /// Gives the device of that id a name; `false` when there is none.
  let rename: (_ id: String, _ name: String) async throws -> Bool
  /// Deletes the device of that id; `false` when there is none.
  let delete: (_ id: String) async throws -> Bool
}

extension ServerDevices {
  init(_ kind: DeviceKind, of client: DeviceClient) {
    switch kind {
    case .bound: self.init(client.bound) { ($0.createdDate, $0.lastAccessDate) }
    case .push: self.init(client.push) { ($0.createdDate, $0.lastAccessDate) }
    case .webauthn: self.init(client.webAuthn) { ($0.createdDate, $0.lastAccessDate) }
    case .oath: self.init(client.oath) { ($0.createdDate, $0.lastAccessDate) }
    case .profile: self.init(client.profile) { (0, $0.lastSelectedDate) }
    }
  }

  private init<T: RecordedDevice>(
    _ devices: any DeviceRepository<T>, times: @escaping (T) -> (added: TimeInterval, used: TimeInterval)
  ) {
    self.init(
      list: {
        try await devices.get().get().map { device in
          let (added, used) = times(device)
          return Entry(
            id: device.id, name: device.deviceName, addedAt: Self.date(added), usedAt: Self.date(used),
            record: device.record)
        }
      },
      rename: { id, name in
        guard var device = try await devices.get().get().first(where: { $0.id == id }) else { return false }
        device.deviceName = name
        _ = try await devices.update(device).get()
        return true
      },
      delete: { id in
        guard let device = try await devices.get().get().first(where: { $0.id == id }) else { return false }
        _ = try await devices.delete(device).get()
        return true
      })
  }

  /// 0 stands for a time that the server does not tell.
  private static func date(_ seconds: TimeInterval) -> Date? {
    seconds == 0 ? nil : Date(timeIntervalSince1970: seconds)
  }
}

extension DeviceError {
  /// The reason of a server that refused to change factors because the session is not strong enough; `nil` for other errors.
  var neededStepUp: String? {
    guard case .requestFailed(403, let message) = self, message.hasPrefix("Changing factors needs") else {
      return nil
    }
    return printable(message)
  }
}
