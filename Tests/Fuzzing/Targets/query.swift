import Bytes
import StrictJSON

extension FuzzTarget {
  /// The query of a URL, and the filter of sessions that one may hold.
  static let query = FuzzTarget(text: { text in
    _ = try? QueryParameters(text)
    let written = try? QueryParameters("name=\(PercentEncoding.encode(text))&name=second")
    expect(written?["name"] == text, "an encoded value is read as another one")
    guard let filter = try? SessionFilter(text) else { return }
    func quoted(_ value: String) -> String { JSONValue.string(value).text }
    let again =
      "username eq \(quoted(filter.username))"
      + (filter.realmPath.map { " and realm eq \(quoted($0))" } ?? "")
    expect(again.utf8.count > 2048 || (try? SessionFilter(again)) == filter, "a filter changes")
  })
}
