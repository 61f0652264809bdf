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
    let record: JSONValue
    /// The record's member that says when it was used.
    var used = "lastAccessDate"
    let rename: (_ name: String) async throws -> Void
    let delete: () async throws -> Void

    var addedAt: Date? { time("createdDate") }
    var usedAt: Date? { time(used) }

    /// 0 stands for a time that the server does not tell.
    private func time(_ member: String) -> Date? {
      record[member]?.doubleValue.flatMap { $0 == 0 ? nil : Date(timeIntervalSince1970: $0 / 1000) }
    }
  }

  let list: () async throws -> [Entry]

  /// Gives the device of that id a name; `false` when there is none.
  func rename(_ id: String, _ name: String) async throws -> Bool {
    try await change(id) { try await $0.rename(name) }
  }

  /// Deletes the device of that id; `false` when there is none.
  func delete(_ id: String) async throws -> Bool { try await change(id) { try await $0.delete() } }

  private func change(_ id: String, _ act: (Entry) async throws -> Void) async throws -> Bool {
    guard let entry = try await list().first(where: { $0.id == id }) else { return false }
    try await act(entry)
    return true
  }
}

extension ServerDevices {
  init(_ kind: DeviceKind, of client: DeviceClient) {
    switch kind {
    case .bound: self.init(client.bound)
    case .push: self.init(client.push)
    case .webauthn: self.init(client.webAuthn)
    case .oath: self.init(client.oath)
    case .profile: self.init(client.profile, used: "lastSelectedDate")
    }
  }

  private init<T: RecordedDevice>(_ devices: any DeviceRepository<T>, used: String = "lastAccessDate") {
    self.init {
      try await devices.get().get().map { device in
        Entry(id: device.id, name: device.deviceName, record: device.record, used: used) { name in
          var renamed = device
          renamed.deviceName = name
          _ = try await devices.update(renamed).get()
        } delete: {
          _ = try await devices.delete(device).get()
        }
      }
    }
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
