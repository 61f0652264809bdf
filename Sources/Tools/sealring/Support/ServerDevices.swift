import ArgumentParser
import Foundation
import PingDeviceClient
import StrictJSON

/// A kind of devices on the server.
enum DeviceKind: String, ExpressibleByArgument, CaseIterable {
  case bound, push, webauthn, oath, profile
}

/// The devices of one kind, for commands that work with all kinds.
struct ServerDevices {
  /// A device in lists.
  struct Entry {
    let id: String
    let name: String
    let record: JSONValue
    /// The record's member with the time of the last use.
    var used = "lastAccessDate"
    let rename: (_ name: String) async throws -> Void
    let delete: () async throws -> Void

    var addedAt: Date? { time("createdDate") }
    var usedAt: Date? { time(used) }

    /// Servers send 0 for an unknown time.
    private func time(_ member: String) -> Date? {
      record[member]?.doubleValue.flatMap { $0 == 0 ? nil : Date(timeIntervalSince1970: $0 / 1000) }
    }
  }

  let list: () async throws -> [Entry]

  /// Renames the device with this id; returns `false` when there is none.
  func rename(_ id: String, _ name: String) async throws -> Bool {
    try await change(id) { try await $0.rename(name) }
  }

  /// Deletes the device with this id; returns `false` when there is none.
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
  /// The reason when the server refuses to change factors because the session is not strong enough; `nil` for other errors.
  var neededStepUp: String? {
    guard case .requestFailed(403, let message) = self, message.hasPrefix("Changing factors needs") else {
      return nil
    }
    return printable(message)
  }
}
