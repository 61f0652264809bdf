internal import OpenIDConnect
internal import WebAddresses

/// The page that asks whether a client may have what it asks for, and the one that says why a request cannot go on. Without scripts.
enum ConsentPage {
  private static let meanings: [String: String] = [
    "openid": "know who you are", "profile": "read your name", "email": "read your e-mail address",
    "address": "read your postal address", "phone": "read your telephone number",
    "offline_access": "stay signed in after you have left",
  ]

  static func question(
    client: OpenIDClient, username: String, scopes: [String], ticket: String, style: String
  ) -> String {
    let items = scopes.map { "<li>\(escaped(meanings[$0] ?? "use \($0)"))</li>" }.joined(separator: "\n")
    return page(
      title: "Allow access", style: style,
      """
      <h1>\(escaped(client.name)) wants to</h1>
      <ul>
      \(items)
      </ul>
      <p class="muted">You are signed in as \(escaped(username)).</p>
      <form method="post" action="authorize">
      <input type="hidden" name="consent" value="\(escaped(ticket))">
      <button type="submit" name="decision" value="allow">Allow</button>
      <button type="submit" name="decision" value="deny" class="quiet">Deny</button>
      </form>
      """)
  }

  static func refusal(_ text: String, style: String) -> String {
    page(title: "Not possible", style: style, "<h1>That is not possible</h1>\n<p>\(escaped(text))</p>")
  }

  static func confirmation(ticket: String, style: String) -> String {
    page(
      title: "Sign out", style: style,
      """
      <h1>Sign out?</h1>
      <form method="post" action="endSession">
      <input type="hidden" name="confirmation" value="\(escaped(ticket))">
      <button type="submit">Sign out</button>
      </form>
      """)
  }

  static func signedOut(style: String) -> String {
    page(title: "Signed out", style: style, "<h1>You are signed out</h1>")
  }

  /// What a policy calls the address: its origin, or its scheme for an app's.
  static func source(of address: String) -> String {
    WebOrigin(address: address)?.description ?? String(address.prefix { $0 != ":" }) + ":"
  }

  private static func page(title: String, style: String, _ body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="robots" content="noindex">
      <title>\(title)</title>
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="\(escaped(style))">
    </head>
    <body>
    <main class="card">
    \(body)
    </main>
    </body>
    </html>

    """
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
