internal import PageTemplates
package import StrictJSON

extension PageValue {
  /// For a page's script, which makes text and addresses of it as the template does.
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
}
