internal import Accounts
internal import JourneyNodes
internal import JourneyStore
internal import QueryFilters
internal import ServerHTTP
internal import StrictJSON

/// The parameter `_fields`: which members of accounts an answer has.
struct UserFields {
  private let pointers: [JSONPointer]?

  private static let most = 50

  /// - Throws: 400 when a field is not a JSON pointer, or there are too many.
  init(_ query: QueryParameters) throws(ErrorResponse) {
    guard let text = query["_fields"], !text.isEmpty, text != "*" else {
      pointers = nil
      return
    }
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    let pointers = names.compactMap { JSONPointer($0) }
    guard pointers.count == names.count, names.count <= Self.most else {
      throw .badRequest("The parameter _fields is a list of at most \(Self.most) JSON pointers.")
    }
    self.pointers = pointers
  }

  func selected(of object: JSONObject) -> JSONObject {
    pointers.map { ManagedUsers.selected($0, of: object) } ?? object
  }
}

extension UserRecord {
  /// The object that filters apply to: what clients see, with PingIDM's names added.
  var filtered: JSONObject {
    var object = representation()
    object[ManagedAttribute.userName] = .string(username)
    object[ManagedAttribute.accountStatus] = isActive ? "active" : "inactive"
    return object
  }
}
