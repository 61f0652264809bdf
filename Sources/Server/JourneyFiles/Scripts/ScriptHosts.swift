internal import Operations
internal import WebAddresses

/// Where scripts may send requests: origins that the operator lists, for all realms or for one.
public struct ScriptHosts: Sendable, Hashable {
  /// Whether each listed origin may be in this server's own network, or on this machine; by the realm's name in lower case, `nil` for all.
  private var origins: [String?: [WebOrigin: Bool]] = [:]

  public init() {}

  /// Adds an origin such as `https://api.example.com`; without a scheme it is https.
  ///
  /// - Parameters:
  ///   - isPrivate: whether its host may be in this server's own network. Plain http is for such hosts only.
  ///   - realm: the realm whose journeys may reach it; `nil` for all.
  /// - Throws: ``ServerSetupError`` for anything else.
  public mutating func allow(_ text: String, isPrivate: Bool, realm: String? = nil) throws {
    guard let origin = WebOrigin(text.contains("://") ? text : "https://\(text)") else {
      throw ServerSetupError(
        "\(text.debugDescription) is not the address of a host for scripts. Write https://HOST or https://HOST:PORT."
      )
    }
    guard origin.isHTTPS || isPrivate else {
      throw ServerSetupError(
        "Scripts reach \(origin) by http only with --script-private-host; others would read what is sent.")
    }
    let realm = realm?.lowercased()
    origins[realm, default: [:]][origin] = isPrivate || origins[realm]?[origin] == true
  }

  /// Whether `origin` is listed for the journeys of `realm`, and then whether it may be private.
  func allowance(for origin: WebOrigin, realm: String) -> Bool? {
    let found = [origins[realm.lowercased()]?[origin], origins[nil]?[origin]].compactMap(\.self)
    return found.isEmpty ? nil : found.contains(true)
  }

  var isEmpty: Bool { origins.isEmpty }

  /// Whether something is listed for all realms.
  var areShared: Bool { origins[nil] != nil }
}
