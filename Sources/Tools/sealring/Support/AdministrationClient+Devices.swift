import Foundation
import StrictJSON

extension ServerDevices {
  /// The devices of another user, for an administrator or the help desk.
  init(_ kind: DeviceKind, of username: String, for client: AdministrationClient) {
    let path = "users/\(AdministrationClient.inPath(username))/\(kind.path)"
    /// Changes the record; `false` when there is none.
    func change(_ id: String, _ body: (String) async throws -> Void) async throws -> Bool {
      guard try await client.records(path).contains(where: { $0["uuid"]?.stringValue == id }) else {
        return false
      }
      try await body("\(path)/\(AdministrationClient.inPath(id))")
      return true
    }
    self.init(
      list: { try await client.records(path).map(Entry.init(record:)) },
      rename: { id, name in try await change(id) { try await client.put($0, ["deviceName": .string(name)]) }
      },
      delete: { id in try await change(id) { try await client.delete($0) } })
  }
}

extension ServerDevices.Entry {
  fileprivate init(record: JSONValue) {
    func time(_ member: String) -> Date? {
      record[member]?.doubleValue.flatMap { $0 == 0 ? nil : Date(timeIntervalSince1970: $0 / 1000) }
    }
    self.init(
      id: record["uuid"]?.stringValue ?? record["_id"]?.stringValue ?? "",
      name: record["deviceName"]?.stringValue ?? "", addedAt: time("createdDate"),
      usedAt: time("lastAccessDate"), record: record)
  }
}

extension DeviceKind {
  /// Where the server keeps the kind, below the account.
  fileprivate var path: String {
    switch self {
    case .bound: "devices/2fa/binding"
    case .push, .webauthn, .oath: "devices/2fa/\(rawValue)"
    case .profile: "devices/profile"
    }
  }
}
