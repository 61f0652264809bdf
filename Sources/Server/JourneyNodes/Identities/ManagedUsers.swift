package import Accounts
internal import JourneyEngine
package import JourneyStore
package import QueryFilters
package import StrictJSON

/// The accounts of realms as managed objects: an account *is* its user, there is no second table.
///
/// `_id` is the account's id, `_rev` its revision, `userName` the login name, `mail` the first address, `accountStatus` `active` or
/// `inactive`, everything else an attribute. The password can be set but never read; what nodes keep for themselves can be neither set nor
/// read. Roles are not attributes, and cannot be reached from here.
package struct ManagedUsers: ManagedObjects {
  let store: any ServerStore
  package let schema: ManagedSchema
  let services: NodeServices

  /// The actor that changes the accounts.
  let actor: AccountActor

  package init(_ services: NodeServices) { self.init(services, actor: .nobody) }

  init(_ services: NodeServices, actor: AccountActor) {
    self.services = services
    self.actor = actor
    store = services.store
    schema = services.schema
  }

  // MARK: Reading

  package func read(_ resource: String, realm: String) async throws -> JSONObject? {
    guard let id = try Self.id(in: resource, realm: realm) else {
      throw ManagedObjectError(.invalid, "\(resource) names no object")
    }
    return try await store.user(id: id, realm: realm).map(Self.object)
  }

  package func query(
    _ resource: String, filter: String, fields: [String], limit: Int, realm: String
  ) async throws -> [JSONObject] {
    guard try Self.id(in: resource, realm: realm) == nil else {
      throw ManagedObjectError(.invalid, "\(resource) names one object; name the whole collection")
    }
    let parsed: QueryFilter
    do { parsed = try QueryFilter(parsing: filter) } catch {
      throw ManagedObjectError(.invalid, "the filter cannot be read: \(error)")
    }
    // An `_id` is found without a search.
    if case .comparison(let pointer, .equal, .string(let id)) = parsed, pointer.names == ["_id"] {
      let user = try await store.user(id: id, realm: realm)
      return try user.map { [try Self.selected(fields, of: Self.object(of: $0))] } ?? []
    }
    let search = IdentitySearch(filter: parsed, store: store, realm: realm, object: Self.searched)
    let found = try await search.all(limit: limit)
    return try found.sorted { $0.id < $1.id }.map { try Self.selected(fields, of: Self.object(of: $0)) }
  }

  /// The account as an object.
  package static func object(of user: UserRecord) -> JSONObject {
    var object: JSONObject = [
      "_id": .string(user.id), "_rev": .string(String(user.revision)),
      ManagedAttribute.userName: .string(user.username),
      ManagedAttribute.accountStatus: user.isActive ? "active" : "inactive",
    ]
    if let mail = user.mail.first { object[ManagedAttribute.mail] = .string(mail) }
    for (name, value) in user.attributes
    where !ManagedAttribute.hidden.contains(name) && !ManagedAttribute.reserved.contains(name.lowercased()) {
      object[name] = value
    }
    return object
  }

  /// The object that filters are compared with, which has all addresses of the account.
  static func searched(_ user: UserRecord) -> JSONObject {
    var object = Self.object(of: user)
    if !user.mail.isEmpty { object[ManagedAttribute.mail] = .array(user.mail.map { .string($0) }) }
    return object
  }

  /// - Throws: ``ManagedObjectError`` for a field that is not a JSON pointer.
  package static func selected(_ fields: [String], of object: JSONObject) throws -> JSONObject {
    guard !fields.isEmpty, !fields.contains("*") else { return object }
    let pointers = try fields.map { field in
      guard let pointer = JSONPointer(field) else {
        throw ManagedObjectError(.invalid, "the field \(field) is not a JSON pointer")
      }
      return pointer
    }
    return selected(pointers, of: object)
  }

  package static func selected(_ fields: [JSONPointer], of object: JSONObject) -> JSONObject {
    var selected = JSONObject()
    for name in ["_id", "_rev"] { selected[name] = object[name] }
    for field in fields {
      if let value = field.value(in: object) { field.set(value, in: &selected) }
    }
    return selected
  }

  // MARK: Changing

  package func create(_ resource: String, id: String?, content: JSONObject, realm: String) async throws
    -> JSONObject
  {
    guard try Self.id(in: resource, realm: realm) == nil else {
      throw ManagedObjectError(.invalid, "\(resource) names one object; name the whole collection")
    }
    let draft = try draft(of: content)
    guard let username = draft.username else { throw ManagedObjectError(.invalid, "userName is missing") }
    if let fault = LoginName.fault(in: username) { throw ManagedObjectError(.invalid, fault) }
    let missing = schema.missing(in: content)
    guard missing.isEmpty else { throw ManagedObjectError(.schema(missing)) }
    var user = UserRecord(
      realm: realm, username: username, isActive: draft.change.isActive ?? true,
      mail: draft.change.mail ?? [],
      attributes: draft.attributes, createdAt: services.clock(), id: services.uuid())
    if let id {
      guard (1...64).contains(id.utf8.count),
        id.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && $0 != 0x2F }),
        try await store.user(id: id, realm: realm) == nil
      else { throw ManagedObjectError(.conflict, "the id \(id) is taken or not valid") }
      user.id = id
    }
    do {
      return Self.object(
        of: try await services.accounts.create(user, password: draft.change.password, by: actor))
    } catch AccountRefusal.conflict {
      throw ManagedObjectError(.conflict, "the userName, or another value that must be unique, is taken")
    } catch let refusal as AccountRefusal { throw ManagedObjectError(refusal) }
  }

  package func update(_ resource: String, revision: String?, content: JSONObject, realm: String) async throws
    -> JSONObject
  {
    try await change(resource, revision: revision, realm: realm) { _ in content }
  }

  package func patch(_ resource: String, revision: String?, operations: [JSONObject], realm: String)
    async throws -> JSONObject
  {
    let operations = try operations.map { try PatchOperation($0) }
    return try await change(resource, revision: revision, realm: realm) { object in
      var object = object
      for operation in operations { try operation.apply(to: &object) }
      return object
    }
  }

  package func delete(_ resource: String, revision: String?, realm: String) async throws -> JSONObject {
    let user = try await existing(resource, realm: realm)
    try Self.require(revision, of: user)
    do { return Self.object(of: try await services.accounts.delete(user.account, by: actor)) } catch let
      refusal as AccountRefusal
    { throw ManagedObjectError(refusal) }
  }

  /// Sets the attributes that `values` names, and keeps the account's others. For nodes.
  ///
  /// - Parameter isOwner: whether only what the schema lets owners change may be set.
  func merge(_ values: JSONObject, into user: UserRecord, isOwner: Bool = false) async throws -> UserRecord {
    if isOwner {
      for (name, _) in values where name != ManagedAttribute.password && !schema.isEditable(name) {
        throw ManagedObjectError(.forbidden, "the schema does not let users change \(name)")
      }
    }
    return try await attempt(user.id, realm: user.realm, revision: nil, isOwner: isOwner) { _ in values }
  }

  /// Changes an attribute that nodes keep for themselves, by its present value.
  func keep(
    _ name: String, of user: UserRecord, _ change: (JSONValue?) throws -> JSONValue?
  ) async throws -> UserRecord? {
    do {
      return try await services.accounts.keep(id: user.id, realm: user.realm) { user, attributes in
        attributes[name] = try change(attributes[name])
        if let excess = AccountAttributes.excess(attributes, mail: user.mail) {
          throw ManagedObjectError(.invalid, excess)
        }
      }?.user
    } catch let refusal as AccountRefusal { throw ManagedObjectError(refusal) }
  }

  private func change(
    _ resource: String, revision: String?, realm: String, _ edit: (JSONObject) throws -> JSONObject
  ) async throws -> JSONObject {
    let user = try await existing(resource, realm: realm)
    let changed = try await attempt(user.id, realm: realm, revision: revision) { present in
      let before = Self.object(of: present)
      let after = try edit(before)
      // Members that are gone are removed, and only members that differ are part of the change.
      var difference = JSONObject()
      for (name, value) in after where before[name] != value { difference[name] = value }
      for (name, _) in before where after[name] == nil { difference[name] = .null }
      for name in ["_id", "_rev", ManagedAttribute.userName, ManagedAttribute.accountStatus]
      where after[name] == nil {
        difference[name] = nil
      }
      return difference
    }
    return Self.object(of: changed)
  }

  /// Sets values in the account as it is at the time of the write; `null` removes a value.
  private func attempt(
    _ id: String, realm: String, revision: String?, isOwner: Bool = false,
    _ values: (UserRecord) throws -> JSONObject
  ) async throws -> UserRecord {
    do {
      return try await services.accounts.change(id: id, realm: realm, by: actor) { user in
        try Self.require(revision, of: user)
        let content = try values(user)
        try requireAttributes(of: user, after: content)
        let draft = try draft(of: content)
        if let name = draft.username, name != user.username {
          throw ManagedObjectError(.invalid, "a userName cannot be changed")
        }
        var change = draft.change
        change.attributes = .setting(draft.attributes)
        change.isAsOwner = isOwner
        return change
      }
    } catch let refusal as AccountRefusal {
      // The client learns that its run lacks a proof, whatever the node makes of other faults.
      if case .stepUp = refusal { throw NodeRefusal(mapping: refusal) }
      throw ManagedObjectError(refusal)
    }
  }

  /// A change cannot remove a required attribute. An account that never had one may stay without it, because it was created by other rules.
  private func requireAttributes(of user: UserRecord, after change: JSONObject) throws {
    let before = Self.object(of: user)
    var after = before
    after.merge(change)
    let lacked = Set(schema.missing(in: before).map(\.attribute))
    let missing = schema.missing(in: after).filter { !lacked.contains($0.attribute) }
    guard missing.isEmpty else { throw ManagedObjectError(.schema(missing)) }
  }

  private func existing(_ resource: String, realm: String) async throws -> UserRecord {
    guard let id = try Self.id(in: resource, realm: realm),
      let user = try await store.user(id: id, realm: realm)
    else { throw Self.notFound }
    return user
  }
}

// MARK: - Content

extension ManagedUsers {
  /// The content of a new account, or the change of an existing one, with the attributes apart.
  private typealias Draft = (username: String?, attributes: JSONObject, change: AccountChange)

  private func draft(of content: JSONObject) throws -> Draft {
    let failures = schema.failures(
      in: content.filtered { name in
        !["_id", "_rev", ManagedAttribute.password].contains(name)
          && !(schema.attribute(name) == nil
            && (ManagedAttribute.hidden.contains(name) || ManagedAttribute.serversOwn.contains(name)))
      })
    guard failures.isEmpty else { throw ManagedObjectError(.schema(failures)) }
    var draft: Draft = (nil, JSONObject(), AccountChange())
    for (name, value) in content {
      switch name {
      case "_id", "_rev": continue
      case ManagedAttribute.userName: draft.username = try Self.text(value, name)
      case ManagedAttribute.password:
        if !value.isNull { draft.change.password = try Self.text(value, name) }
      case ManagedAttribute.mail:
        draft.change.mail = value.isNull || value == "" ? [] : [try Self.text(value, name)]
      case ManagedAttribute.accountStatus:
        switch try Self.text(value, name).lowercased() {
        case "active": draft.change.isActive = true
        case "inactive": draft.change.isActive = false
        default: throw ManagedObjectError(.invalid, "accountStatus is active or inactive")
        }
      default:
        guard !ManagedAttribute.reserved.contains(name.lowercased()) else {
          throw ManagedObjectError(.forbidden, "\(name) is reserved for the server")
        }
        draft.attributes[name] = value
      }
    }
    return draft
  }

  private static func text(_ value: JSONValue, _ name: String) throws -> String {
    if let text = value.stringValue { return text }
    if let elements = value.arrayValue, elements.count == 1, let text = elements[0].stringValue {
      return text
    }
    throw ManagedObjectError(.invalid, "\(name) must be a text")
  }

  /// The id in `managed/alpha_user/ID` or `managed/user/ID`; `nil` when it names none.
  ///
  /// - Throws: ``ManagedObjectError`` for other kinds of objects and for other realms.
  static func id(in resource: String, realm: String) throws(ManagedObjectError) -> String? {
    let parts = resource.split(separator: "/", omittingEmptySubsequences: true).map(String.init)
    guard parts.count == 2 || parts.count == 3, parts[0] == "managed",
      parts[1] == "user" || parts[1].lowercased() == "\(realm.lowercased())_user"
    else { throw ManagedObjectError(.notFound, "\(resource) is not managed/\(realm)_user") }
    return parts.count == 3 ? parts[2] : nil
  }

  private static func require(_ revision: String?, of user: UserRecord) throws(ManagedObjectError) {
    guard let revision, revision != String(user.revision) else { return }
    throw ManagedObjectError(.preconditionFailed, "the object has revision \(user.revision) by now")
  }

  private static let notFound = ManagedObjectError(.notFound, "there is no such object")
}

extension JSONObject {
  fileprivate func filtered(_ isIncluded: (String) -> Bool) -> JSONObject {
    JSONObject(filter { isIncluded($0.name) }.map { ($0.name, $0.value) })
  }
}
