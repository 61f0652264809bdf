internal import Bytes
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import JourneyEngine
internal import JourneyNodes
internal import NIOCore
internal import ProductVersion

/// `/` and `/am`: a page for people who open the server's address in a browser.
///
/// A server that only this machine reaches lists the journeys that can be started. Others do not show what they have.
struct HomePage: Endpoint {
  private let realms: RealmDirectory

  /// Whether only this machine reads the page.
  private let isLocal: Bool

  init(_ configuration: ServerConfiguration, realms: RealmDirectory) {
    self.realms = realms
    isLocal = ServerRelyingParty.isLoopback(configuration.host) && !StartupAdvice.isPublic(configuration)
  }

  /// Journeys that can be started, by realm; empty on a server that others reach.
  private var journeys: [(realm: String, names: [String])] {
    guard isLocal else { return [] }
    let now = realms.snapshot
    return now.names.map { ($0, now.catalog.summaries(realm: $0).filter(\.canStart).map(\.name)) }
  }

  var routes: [Route] { ["/", "/am"].map { Route(page: $0, page) } }

  private func page(_ request: Request, in context: ResourceContext) throws -> Response {
    // Relative, so that a proxy may put the server under a path of its own.
    let text = html(pages: request.uri.path.hasSuffix("/am/") ? "XUI/" : "am/XUI/")
    return WebPages.answer(ByteBuffer(string: text), "text/html;charset=UTF-8", to: request)
  }

  /// - Parameter pages: the folder of the sign-in page.
  private func html(pages: String) -> String {
    let lists = journeys.filter { !$0.names.isEmpty }.map { realm, names in
      let items = names.map { name in
        let query =
          "realm=/\(PercentEncoding.encode(realm == "root" ? "" : realm))&amp;service=\(PercentEncoding.encode(name))"
        return "<li><a href=\"\(pages)?\(query)\">\(Self.inText(name))</a></li>"
      }
      return "<h2>Realm \(Self.inText(realm))</h2>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>"
    }
    return """
      <!doctype html>
      <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex">
        <title>Sealring</title>
        <link rel="icon" href="data:,">
        <link rel="stylesheet" href="\(pages)sealring.css">
      </head>
      <body>
        <main class="card">
          <h1>Sealring</h1>
          <p class="muted">Journey server, version \(ProductVersion.text).</p>
          <p><a href="\(pages)">Sign in</a></p>
          \(lists.joined(separator: "\n"))
        </main>
      </body>
      </html>

      """
  }

  private static func inText(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;")
  }
}
