internal import Foundation

/// A value that a template shows. No value can carry markup: all text is escaped.
package enum PageValue: Sendable, Hashable {
  case text(String)
  case flag(Bool)
  case list([PageValue])
  case fields([String: PageValue])

  /// An address: the only value that fields named `root` or `…Link` accept.
  case link(PageLink)

  /// Shows nothing, and hides an outer field of the same name.
  case none

  /// The text, or ``none`` for `nil`.
  package static func optional(_ text: String?) -> PageValue { text.map { .text($0) } ?? .none }

  /// The value in the form that Mustache reads.
  ///
  /// - Throws: ``PageTemplateError`` for a text in an address field, because it could name any scheme.
  var model: Any {
    get throws(PageTemplateError) {
      switch self {
      case .text(let text): return text
      case .flag(let flag): return flag
      case .link(let link): return link.text
      case .none: return NSNull()
      case .list(let values):
        var list: [Any] = []
        for value in values { list.append(try value.model) }
        return list
      case .fields(let fields): return try Self.model(of: fields)
      }
    }
  }

  static func model(of fields: [String: PageValue]) throws(PageTemplateError) -> [String: Any] {
    var object: [String: Any] = [:]
    for (name, value) in fields {
      switch value {
      case .text where TemplateRules.isAddress(name):
        throw PageTemplateError("The field \(name) is an address, so it must be a PageLink.")
      default: object[name] = try value.model
      }
    }
    return object
  }
}

extension PageValue: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(booleanLiteral value: Bool) { self = .flag(value) }
  package init(arrayLiteral elements: PageValue...) { self = .list(elements) }
  package init(dictionaryLiteral elements: (String, PageValue)...) {
    self = .fields(Dictionary(elements) { _, last in last })
  }
}
