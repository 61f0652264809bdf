public import StrictJSON

/// The realm's identities as records by a schema, which nodes, scripts, REST and OpenID Connect read and change.
public protocol ManagedObjects: Sendable {
  /// The object, with `_id` and `_rev`; `nil` when there is none.
  ///
  /// - Parameter resource: `managed/alpha_user/ID`, or `managed/user/ID` for the realm of the request.
  func read(_ resource: String, realm: String) async throws -> JSONObject?

  /// The objects that fit `filter`, in the order of their `_id`.
  ///
  /// - Parameters:
  ///   - filter: in CREST's query language, for example `/mail eq "a@example.com"`.
  ///   - fields: the members wanted; all when empty.
  func query(_ resource: String, filter: String, fields: [String], limit: Int, realm: String) async throws
    -> [JSONObject]

  /// - Parameter id: `nil` for one that is chosen.
  /// - Throws: ``ManagedObjectError`` when it is there already or the schema refuses it.
  func create(_ resource: String, id: String?, content: JSONObject, realm: String) async throws -> JSONObject

  /// Replaces the object.
  ///
  /// - Parameter revision: only if it still has this `_rev`; `nil` for any.
  func update(_ resource: String, revision: String?, content: JSONObject, realm: String) async throws
    -> JSONObject

  /// Changes members: `[{"operation": "replace", "field": "/givenName", "value": "Ada"}]`.
  func patch(_ resource: String, revision: String?, operations: [JSONObject], realm: String) async throws
    -> JSONObject

  /// Removes the object and returns it.
  func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject
}

/// Why an object was not read, made or changed.
public struct ManagedObjectError: Error, Sendable, Hashable, CustomStringConvertible {
  public enum Reason: Sendable, Hashable {
    case notFound
    case conflict
    case preconditionFailed
    case invalid
    case forbidden
  }

  public var reason: Reason
  public var description: String

  public init(_ reason: Reason, _ description: String) {
    self.reason = reason
    self.description = description
  }
}
