internal import Foundation

/// What a template shows. There is no way to hand markup over: all text is escaped where it stands.
package enum PageValue: Sendable, Hashable {
  case text(String)
  case flag(Bool)
  case list([PageValue])
  case fields([String: PageValue])

  /// The only value for what templates name `root` or `…Link`, which is where addresses stand.
  case link(PageLink)

  /// Shows nothing, and hides the field of the same name further out.
  case none

  /// The text, or nothing.
  package static func optional(_ text: String?) -> PageValue { text.map { .text($0) } ?? .none }

  /// As Mustache reads it.
  ///
  /// - Throws: ``PageTemplateError`` when a text stands where an address belongs, which could name any scheme.
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
