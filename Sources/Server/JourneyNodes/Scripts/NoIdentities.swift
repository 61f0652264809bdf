internal import StrictJSON

/// The identities of a script that runs alone: none.
struct NoIdentities: ManagedObjects {
  private func refuse() throws -> Never {
    throw NodeError("a script that runs alone has no managed identities")
  }

  func read(_ resource: String, realm: String) async throws -> JSONObject? { try refuse() }

  func query(
    _ resource: String, filter: String, fields: [String], limit: Int, realm: String
  ) async throws -> [JSONObject] { try refuse() }

  func create(
    _ resource: String, id: String?, content: JSONObject, realm: String
  ) async throws -> JSONObject { try refuse() }

  func update(
    _ resource: String, revision: String?, content: JSONObject, realm: String
  ) async throws -> JSONObject { try refuse() }

  func patch(
    _ resource: String, revision: String?, operations: [JSONObject], realm: String
  ) async throws -> JSONObject { try refuse() }

  func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject {
    try refuse()
  }
}
