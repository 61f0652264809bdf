import Foundation
import PingNetwork
import StrictJSON

extension ServerDevices {
  /// The devices of somebody else, for an administrator or the help desk.
  init(_ kind: DeviceKind, of username: String, for client: AdministrationClient) {
    let path = "users/\(AdministrationClient.inPath(username))/\(kind.path)"
    @Sendable func records() async throws -> [JSONValue] {
      try await client.send("\(path)?_queryFilter=true") { $0.get() }["result"]?.arrayValue ?? []
    }
    /// Changes the record; `false` when there is none.
    @Sendable func change(
      _ id: String, _ build: @escaping @Sendable (any HttpRequest) -> Void
    ) async throws -> Bool {
      guard try await records().contains(where: { $0["uuid"]?.stringValue == id }) else { return false }
      _ = try await client.send("\(path)/\(AdministrationClient.inPath(id))", build)
      return true
    }
    self.init(
      list: { try await records().map(Entry.init(record:)) },
      rename: { id, name in
        let body: JSONValue = ["deviceName": .string(name)]
        return try await change(id) { $0.put(contentType: "application/json", body: body.text) }
      },
      delete: { id in try await change(id) { $0.setMethod(.delete) } })
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
