import PingNetwork
import StrictJSON

/// Roles, locks and journeys.
extension AdministrationClient {
  /// Accounts of the realm that have a role.
  func usersWithRoles() async throws -> [JSONValue] {
    try await send("users?_queryFilter=\(Self.inPath("adminRoles pr"))") { $0.get() }["result"]?.arrayValue
      ?? []
  }

  /// Adds an account; with `isTrial` only asks whether it would be.
  func createUser(_ body: JSONObject, isTrial: Bool) async throws {
    let text = JSONValue.object(body).text
    _ = try await send("users?_action=create\(isTrial ? "&dryRun=true" : "")") {
      $0.post(contentType: "application/json", body: text)
    }
  }

  /// Grants or revokes a role; the roles after it.
  func changeRole(_ role: String, of username: String, isGrant: Bool) async throws -> JSONValue {
    let body: JSONValue = ["role": .string(role)]
    return try await send("users/\(Self.inPath(username))/roles?_action=\(isGrant ? "grant" : "revoke")") {
      $0.post(contentType: "application/json", body: body.text)
    }
  }

  /// Forgets wrong tries and locks; whether there were any.
  func unlock(_ username: String) async throws -> Bool {
    try await send("users/\(Self.inPath(username))?_action=unlock") {
      $0.post(contentType: "application/json", body: "{}")
    }["result"]?.boolValue ?? false
  }

  /// The server's realms.
  func realms() async throws -> [JSONValue] {
    try await send("global-config/realms?_queryFilter=true") { $0.get() }["result"]?.arrayValue ?? []
  }

  func createRealm(_ name: String) async throws -> JSONValue {
    let body: JSONValue = ["name": .string(name), "parentPath": "/", "active": true]
    return try await send("global-config/realms?_action=create") {
      $0.post(contentType: "application/json", body: body.text)
    }
  }

  func deleteRealm(_ name: String, isForced: Bool) async throws {
    _ = try await send("global-config/realms/\(Self.inPath(name))\(isForced ? "?force=true" : "")") {
      $0.setMethod(.delete)
    }
  }

  /// The realm's journeys.
  func journeys() async throws -> [JSONValue] {
    let trees = "realm-config/authentication/authenticationtrees/trees"
    return try await send("\(trees)?_queryFilter=true") { $0.get() }["result"]?.arrayValue ?? []
  }
}
