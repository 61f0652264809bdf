internal import Accounts
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import MailService
internal import QueryFilters
internal import StrictJSON

/// The text of a mail by language, as exports have it, with places for values: `{{object.givenName}}`, `{{object.resumeURI}}`.
struct MailTemplate: Sendable {
  private var subject = LocalizedText([], builtIn: standardSubject)
  private var html = LocalizedText([], builtIn: "")
  private var text = LocalizedText(
    [],
    builtIn: """
      Hello {{object.givenName}},

      follow this link to continue: {{object.resumeURI}}

      If you did not ask for it, ignore this mail.
      """)
  private var from: MailAddress?
  private var senderName = ""

  private static let standardSubject = "Continue where you left off"

  /// Longest text of a mail in bytes, before values are put in; ``MailText`` bounds each value.
  private static let longestText = 256 << 10
  private static let mostPlaces = 500

  /// Used when the file has no template of the name.
  static let builtIn = MailTemplate()

  private init() {}

  /// - Returns: `nil` for a template that is switched off.
  /// - Throws: a sentence about what is wrong.
  init?(_ object: JSONObject) throws(NodeError) {
    guard object["enabled"]?.boolValue ?? true else { return nil }
    subject = try Self.localized(object["subject"], "subject", builtIn: Self.standardSubject)
    html = try Self.localized(object["html"] ?? object["message"], "html", builtIn: "")
    text = try Self.localized(object["text"], "text", builtIn: "")
    guard !html.isEmpty || !text.isEmpty else {
      throw NodeError("has neither html nor message nor text")
    }
    let sender = object["from"]?.stringValue ?? ""
    // "Name <address>", or the address alone.
    if let open = sender.lastIndex(of: "<"), sender.hasSuffix(">") {
      from = MailAddress(String(sender[sender.index(after: open)...].dropLast()))
      senderName = String(sender[..<open].filter { $0 != "\"" })
    } else {
      from = MailAddress(sender)
    }
    guard from != nil || sender.isEmpty else {
      throw NodeError("names a sender that is not a mail address")
    }
  }

  private static func localized(
    _ value: JSONValue?, _ name: String, builtIn: String
  ) throws(NodeError) -> LocalizedText {
    switch value {
    case nil, .null?: return LocalizedText([], builtIn: builtIn)
    case .string(let text)?:
      guard text.utf8.count <= longestText else { throw NodeError("has a \(name) that is too long") }
      return LocalizedText([("en", text)], builtIn: builtIn)
    case .object(let object)?:
      var texts: [(locale: String, text: String)] = []
      for (locale, text) in object {
        guard let text = text.stringValue, text.utf8.count <= longestText else {
          throw NodeError("has a \(name) for \(locale) that is not a text, or is too long")
        }
        texts.append((locale, text))
      }
      return LocalizedText(texts, builtIn: builtIn)
    default: throw NodeError("has a \(name) that is neither a text nor texts by language")
    }
  }

  /// The mail to a recipient. Values that people entered about themselves are inserted as ``MailText``, so that they add neither markup nor
  /// links.
  ///
  /// - Parameters:
  ///   - link: the server's own link, `object.resumeURI`.
  ///   - username: the name of the account that the mail is for, which has to be readable as it is typed; `nil` when there is no account.
  func message(
    to recipient: MailAddress, object: JSONObject, link: String? = nil, username: String? = nil,
    locales: [String], mail: NodeMail
  ) -> MailMessage {
    let own = Own(link: link, username: username, recipient: recipient.text)
    let marked = html.text(for: locales)
    let plain = text.text(for: locales)
    return MailMessage(
      from: from ?? mail.sender, senderName: from == nil ? mail.senderName : senderName, to: recipient,
      subject: Self.filled(subject.text(for: locales), object, own) { $0 },
      text: Self.filled(plain.isEmpty ? Self.withoutMarks(marked) : plain, object, own) { $0 },
      html: marked.isEmpty ? nil : Self.filled(marked, object, own, MarkupText.html))
  }

  /// Values that are the server's own, or known to be the recipient's.
  private struct Own {
    var link: String?
    var username: String?
    var recipient: String

    /// The value as it goes into the mail.
    func form(_ text: String, named name: String) -> String {
      if name == "resumeURI" { return link ?? "" }
      let isKnown =
        text == recipient || [ManagedAttribute.userName, "username"].contains(name) && text == username
      return isKnown ? text : MailText.line(text)
    }
  }

  /// The text with its places filled; a place without a value is left out.
  private static func filled(
    _ text: String, _ object: JSONObject, _ own: Own, _ form: (String) -> String
  ) -> String {
    text.filled(most: mostPlaces) { place in
      form(value(place.filter { !$0.isWhitespace }, object, own))
    }
  }

  private static func value(_ name: String, _ object: JSONObject, _ own: Own) -> String {
    let path = name.hasPrefix("object.") ? String(name.dropFirst("object.".count)) : name
    if path == "resumeURI" { return own.form("", named: path) }
    guard let value = JSONPointer(path.replacing(".", with: "/"))?.value(in: object) else { return "" }
    switch value {
    case .string(let text): return own.form(text, named: path)
    case .integer(let number): return String(number)
    case .number(let number): return "\(number)"
    case .bool(let flag): return flag ? "true" : "false"
    case .null, .array, .object: return ""
    }
  }

  /// For mail programs that show no HTML: the text between the marks, and addresses of links behind their texts.
  private static func withoutMarks(_ html: String) -> String {
    var result = ""
    var rest = Substring(html)
    var link: Substring?
    while let open = rest.firstIndex(of: "<") {
      result += rest[..<open]
      guard let close = rest[open...].firstIndex(of: ">") else { return result }
      let mark = rest[rest.index(after: open)..<close]
      let name = mark.drop { $0 == "/" }.prefix { $0.isLetter || $0.isNumber }.lowercased()
      rest = rest[rest.index(after: close)...]
      switch name {
      case "style", "script", "head", "title":
        if !mark.hasPrefix("/"), let end = rest.range(of: "</\(name)>") { rest = rest[end.upperBound...] }
      case "a":
        if mark.hasPrefix("/") {
          if let target = link, !result.hasSuffix(target) { result += " (\(target))" }
          link = nil
        } else if let start = mark.range(of: "href=\"") {
          link = mark[start.upperBound...].prefix { $0 != "\"" }
        }
      case "p", "br", "div", "tr", "h1", "h2", "h3", "li", "table": result += "\n"
      default: break
      }
    }
    result += rest
    let characters = [
      ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&amp;", "&"),
    ]
    for (entity, character) in characters { result = result.replacing(entity, with: character) }
    let lines = result.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      line.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    return lines.reduce(into: "") { text, line in
      if !line.isEmpty || !text.hasSuffix("\n\n") { text += line + "\n" }
    }
  }
}
