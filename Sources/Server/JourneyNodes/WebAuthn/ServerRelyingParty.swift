internal import Foundation

/// The relying party (WebAuthn L3 §4) that WebAuthn nodes speak for when they name none themselves, and the origins of its
/// clients. Fixed when the server starts: no request changes it.
public struct ServerRelyingParty: Sendable, Hashable {
  /// The relying party's id; `nil` when nodes must name one.
  let id: String?

  /// The server's own origins, and those that were configured besides.
  private let origins: Set<String>

  /// No relying party: nodes must name theirs.
  public init() {
    id = nil
    origins = []
  }

  /// The relying party of a server with a public address: its host, for clients at exactly that origin.
  ///
  /// - Parameters:
  ///   - publicURL: such as `https://id.example.com/am`.
  ///   - more: further origins, such as `android:apk-key-hash:…` of an app.
  public init(publicURL: String, origins more: [String] = []) {
    id = Self.host(of: publicURL).map(Self.name(of:))
    origins = Set(more).union(Self.origin(of: publicURL).map { [$0] } ?? [])
  }

  /// The relying party of a server without a public address: the name that it listens on, else `localhost`, at that port.
  /// An IP address cannot be a relying party, so clients that call one of this machine's name `localhost`.
  ///
  /// - Parameters:
  ///   - port: the port that is listened on.
  ///   - scheme: `http` or `https`.
  ///   - more: further origins, as above.
  public init(listeningOn host: String, port: Int, scheme: String = "http", origins more: [String] = []) {
    let host = host.lowercased()
    let name = Self.isHost(host) && host.contains { $0.isLetter } ? host : "localhost"
    id = name
    // The second is what clients without a page say that know the id and not the server's address.
    origins = Set(["\(scheme)://\(name):\(port)", "https://\(name)"] + more)
  }

  /// Where clients of that relying party may run: the server's origins, or for a domain that a node names, those of them within it, and the
  /// domain's own origin.
  func origins(for id: String) -> Set<String> {
    if id == self.id { return origins }
    return origins.filter { origin in
      guard origin.hasPrefix("http") else { return true }
      return Self.host(of: origin).map { Self.isWithin($0, id) } ?? false
    }.union(["https://\(id)"])
  }

  /// Whether only this machine reaches `host`.
  package static func isLoopback(_ host: String) -> Bool {
    let host = host.lowercased()
    return ["localhost", "::1", "[::1]"].contains(host) || host.hasSuffix(".localhost")
      || host.hasPrefix("127.") && host.allSatisfy { $0.isNumber || $0 == "." }
  }

  private static func name(of host: String) -> String { isLoopback(host) ? "localhost" : host }

  // MARK: Names

  /// Whether a page of `host` may act for the relying party `id` (WebAuthn L3 §5.1.3 step 8).
  static func isWithin(_ host: String, _ id: String) -> Bool { host == id || host.hasSuffix("." + id) }

  /// The host of a URL or origin in lower case; `nil` for what cannot be a relying party's id.
  static func host(of url: String) -> String? {
    guard url.utf8.count <= 2048, let host = URLComponents(string: url)?.host?.lowercased(), isHost(host)
    else { return nil }
    return host
  }

  private static func origin(of url: String) -> String? {
    guard let url = URLComponents(string: url), let scheme = url.scheme?.lowercased(),
      let host = url.host?.lowercased()
    else { return nil }
    return "\(scheme)://\(name(of: host))" + (url.port.map { ":\($0)" } ?? "")
  }

  static func isHost(_ text: String) -> Bool {
    (1...253).contains(text.utf8.count) && !text.hasPrefix(".") && !text.hasSuffix(".")
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
