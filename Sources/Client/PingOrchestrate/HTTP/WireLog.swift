internal import Foundation

#if canImport(FoundationNetworking)
  internal import FoundationNetworking
#endif

/// The log lines about requests and answers.
///
/// Only the headers and parameters listed here are shown; others may be passwords, tokens, cookies or one-time ids.
enum WireLog {
  private static let openHeaders: Set<String> = [
    "accept", "accept-api-version", "accept-language", "content-api-version", "content-length",
    "content-type",
    "date", "x-requested-platform", "x-requested-with",
  ]

  private static let openParameters: Set<String> = [
    "_action", "authindextype", "authindexvalue", "forceauth", "nosession", "realm",
  ]

  static func line(for request: URLRequest) -> String {
    let headers = fields(request.allHTTPHeaderFields ?? [:])
    return
      "→ \(request.httpMethod ?? "GET") \(text(request.url)) [\(headers)] \(request.httpBody?.count ?? 0) bytes"
  }

  static func line(for response: HttpResponse) -> String {
    var headers: [String: String] = [:]
    for (name, value) in (response.response as? HTTPURLResponse)?.allHeaderFields ?? [:] {
      headers["\(name.base)"] = "\(value)"
    }
    return
      "← \(response.status()) \(text(response.response.url)) [\(fields(headers))] \(response.data.count) bytes"
  }

  private static func fields(_ headers: [String: String]) -> String {
    let lines = headers.sorted { $0.key < $1.key }.map { name, value in
      "\(name): \(openHeaders.contains(name.lowercased()) ? value : "…")"
    }
    return lines.joined(separator: ", ")
  }

  private static func text(_ url: URL?) -> String {
    guard let url, var components = URLComponents(url: url, resolvingAgainstBaseURL: false) else { return "" }
    let items = components.queryItems?.map { item in
      "\(item.name)=\(openParameters.contains(item.name.lowercased()) ? item.value ?? "" : "…")"
    }
    components.query = nil
    components.fragment = nil
    components.user = nil
    components.password = nil
    return (components.string ?? "") + (items.map { "?" + $0.joined(separator: "&") } ?? "")
  }
}
