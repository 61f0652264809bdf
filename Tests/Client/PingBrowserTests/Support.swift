import Concurrency
import Foundation

@testable import PingBrowser

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Addresses that a browser was opened for, and what the browser does then.
final class ScriptedDesktop: Sendable {
  let opened = Locked<[String]>([])
  private let visit: @Sendable (URL) async -> Void

  /// - Parameter visit: what the person's browser does with the address.
  init(_ visit: @escaping @Sendable (URL) async -> Void = { _ in }) { self.visit = visit }

  @MainActor func launcher(limit: Duration = .seconds(600), clock: any Clock<Duration> = ContinuousClock())
    -> BrowserLauncher
  {
    BrowserLauncher(
      agent: SystemBrowser(place: .desktop) { [self] address, _ in
        opened.withLock { $0.append(address.absoluteString) }
        Task.detached { [self] in await visit(address) }
      }, limit: limit, clock: clock)
  }
}

/// What a browser gets at `address`: status and page; `nil` when nothing answers.
func get(_ address: String, host: String? = nil, method: String = "GET") async -> (
  status: Int, page: String, head: HTTPURLResponse
)? {
  guard let url = URL(string: address) else { return nil }
  var request = URLRequest(url: url)
  request.httpMethod = method
  if let host { request.setValue(host, forHTTPHeaderField: "Host") }
  guard let (data, head) = try? await URLSession.shared.data(for: request),
    let head = head as? HTTPURLResponse
  else {
    return nil
  }
  return (head.statusCode, String(decoding: data, as: UTF8.self), head)
}

/// An authorization request whose page ends at `redirect`.
func page(redirect: String, state: String = "s1", at server: String = "https://am.example.com/authorize")
  throws -> URL
{
  let encoded = redirect.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  guard let url = URL(string: "\(server)?redirect_uri=\(encoded)&state=\(state)") else {
    throw URLError(.badURL)
  }
  return url
}
