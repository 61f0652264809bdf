internal import QueryFilters
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

  /// - Parameter id: the object's `_id`; `nil` lets the server choose one.
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

/// A step of a CREST patch.
struct PatchOperation: Sendable {
  private enum Kind: String { case add, replace, remove, increment }

  private let kind: Kind
  private let pointer: JSONPointer
  private let value: JSONValue?

  init(_ json: JSONObject) throws(ManagedObjectError) {
    guard let name = json["operation"]?.stringValue, let kind = Kind(rawValue: name) else {
      throw ManagedObjectError(.invalid, "a patch operation is add, replace, remove or increment")
    }
    guard let pointer = json["field"]?.stringValue.flatMap({ JSONPointer($0) }) else {
      throw ManagedObjectError(.invalid, "a patch operation needs a field, which is a JSON pointer")
    }
    self.kind = kind
    self.pointer = pointer
    value = json["value"]
    guard kind == .remove || value != nil else {
      throw ManagedObjectError(.invalid, "the patch of \(pointer.text) needs a value")
    }
  }

  func apply(to object: inout JSONObject) throws(ManagedObjectError) {
    // `/-` at the end adds to a list.
    if pointer.names.last == "-", let list = JSONPointer(pointer.names.dropLast().joined(separator: "/")) {
      guard kind == .add, let value else {
        throw ManagedObjectError(.invalid, "\(pointer.text) can only be added to")
      }
      list.set(.array((list.value(in: object)?.arrayValue ?? []) + [value]), in: &object)
      return
    }
    let present = pointer.value(in: object)
    switch kind {
    case .add:
      if let elements = present?.arrayValue, let value, value.arrayValue == nil {
        pointer.set(.array(elements + [value]), in: &object)
      } else {
        pointer.set(value, in: &object)
      }
    case .replace: pointer.set(value, in: &object)
    case .remove:
      if let value, let elements = present?.arrayValue {
        pointer.set(.array(elements.filter { $0 != value }), in: &object)
      } else {
        pointer.set(nil, in: &object)
      }
    case .increment:
      guard let step = value?.integerValue else {
        throw ManagedObjectError(.invalid, "the increment of \(pointer.text) must be a whole number")
      }
      let (sum, hasOverflown) = (present?.integerValue ?? 0).addingReportingOverflow(step)
      guard !hasOverflown, present.map({ $0.integerValue != nil }) ?? true else {
        throw ManagedObjectError(.invalid, "\(pointer.text) is not a number that can be incremented")
      }
      pointer.set(.integer(sum), in: &object)
    }
  }
}
