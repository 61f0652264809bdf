internal import ServerHTTP

/// A query filter for sessions, `username eq "ada" and realm eq "/alpha"`: the part of the CREST filter language that PingAM
/// documents for them.
struct SessionFilter: Equatable {
  var username: String
  var realmPath: String?

  /// - Throws: 400 for anything else.
  init(_ text: String) throws(ErrorResponse) {
    var username: String?
    var realm: String?
    var words = try Self.words(of: text)[...]
    while true {
      guard words.count >= 3, case .bare(let field) = words.removeFirst(), words.removeFirst() == .bare("eq"),
        case .quoted(let value) = words.removeFirst()
      else { throw Self.malformed }
      switch field {
      case "username" where username == nil: username = value
      case "realm" where realm == nil: realm = value
      default: throw Self.malformed
      }
      guard let next = words.popFirst() else { break }
      guard next == .bare("and") else { throw Self.malformed }
    }
    guard let username else { throw Self.malformed }
    self.username = username
    realmPath = realm
  }

  private static let malformed = ErrorResponse.badRequest(
    #"Use _queryFilter=username eq "NAME", optionally with: and realm eq "/REALM"."#)

  private enum Word: Equatable {
    case bare(String)
    case quoted(String)
  }

  private static func words(of text: String) throws(ErrorResponse) -> [Word] {
    guard text.utf8.count <= 2048 else { throw malformed }
    var words: [Word] = []
    var rest = text[...]
    while let first = rest.first {
      if first == " " {
        rest.removeFirst()
      } else if first == "\"" {
        rest.removeFirst()
        guard let value = rest.takeQuoted() else { throw malformed }
        words.append(.quoted(value))
      } else {
        let word = rest.prefix { $0 != " " && $0 != "\"" }
        words.append(.bare(String(word)))
        rest = rest[word.endIndex...]
      }
    }
    return words
  }
}
