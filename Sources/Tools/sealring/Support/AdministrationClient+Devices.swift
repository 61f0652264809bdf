import Foundation
import StrictJSON

extension ServerDevices {
  /// The devices of another user, for administrators and the help desk.
  init(_ kind: DeviceKind, of username: String, for client: AdministrationClient) {
    let path = "users/\(AdministrationClient.inPath(username))/\(kind.path)"
    self.init {
      try await client.records(path).map { record in
        let id = record["uuid"]?.stringValue ?? record["_id"]?.stringValue ?? ""
        let place = "\(path)/\(AdministrationClient.inPath(id))"
        return Entry(id: id, name: record["deviceName"]?.stringValue ?? "", record: record) {
          try await client.put(place, ["deviceName": .string($0)])
        } delete: {
          try await client.delete(place)
        }
      }
    }
  }
}

extension DeviceKind {
  /// The path of this kind of devices on the server, below the account.
  fileprivate var path: String {
    switch self {
    case .bound: "devices/2fa/binding"
    case .push, .webauthn, .oath: "devices/2fa/\(rawValue)"
    case .profile: "devices/profile"
    }
  }
}
