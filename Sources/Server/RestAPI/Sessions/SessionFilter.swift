internal import QueryFilters
internal import ServerHTTP
internal import StrictJSON

/// A query filter for sessions, `username eq "ada" and realm eq "/alpha"`: the part of the CREST filter language that PingAM
/// documents for them.
struct SessionFilter: Equatable {
  var username: String
  var realmPath: String?

  /// - Throws: 400 for anything else.
  init(_ text: String) throws(ErrorResponse) {
    guard text.utf8.count <= 2048, let filter = try? QueryFilter(parsing: text) else { throw Self.malformed }
    var found: [String: String] = [:]
    let parts: [QueryFilter] =
      switch filter {
      case .and(let parts): parts
      default: [filter]
      }
    for part in parts {
      guard case .comparison(let field, .equal, let value) = part, let text = value.stringValue,
        ["/username", "/realm"].contains(field.text), found.updateValue(text, forKey: field.text) == nil
      else { throw Self.malformed }
    }
    guard let username = found["/username"] else { throw Self.malformed }
    (self.username, realmPath) = (username, found["/realm"])
  }

  private static let malformed = ErrorResponse.badRequest(
    #"Use _queryFilter=username eq "NAME", optionally with: and realm eq "/REALM"."#)
}
