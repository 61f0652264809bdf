internal import PageTemplates
package import StrictJSON

extension PageValue {
  /// The value for a page's script, which makes texts and addresses of it as the template does.
  package var json: JSONValue {
    switch self {
    case .text(let text): .string(text)
    case .flag(let flag): .bool(flag)
    case .list(let values): .array(values.map(\.json))
    case .fields(let fields):
      .object(fields.sorted { $0.key < $1.key }.reduce(into: JSONObject()) { $0[$1.key] = $1.value.json })
    case .link(let link): .string(link.text)
    case .none: .null
    }
  }

  /// A drawing's part, by the names of its properties: texts, numbers, flags, and lists of such parts.
  init(reflecting value: Any) {
    switch value {
    case let text as String: self = .text(text)
    case let flag as Bool: self = .flag(flag)
    case let number as Int: self = .text(String(number))
    case let list as [Any]: self = .list(list.map(PageValue.init(reflecting:)))
    default: self = .fields(Self.properties(of: value))
    }
  }

  static func properties(of value: Any) -> [String: PageValue] {
    Mirror(reflecting: value).children.reduce(into: [:]) { fields, child in
      if let name = child.label { fields[name] = PageValue(reflecting: child.value) }
    }
  }
}
