internal import WebAddresses

/// Where scripts may send requests: origins that the operator lists.
public struct ScriptHosts: Sendable, Hashable {
  /// Whether each listed origin may be in this server's own network, or on this machine.
  private var origins: [WebOrigin: Bool] = [:]

  public init() {}

  /// Adds an origin such as `https://api.example.com`; without a scheme it is https.
  ///
  /// - Parameter isPrivate: whether its host may be in this server's own network. Plain http is for such hosts only.
  /// - Throws: ``ServerSetupError`` for anything else.
  public mutating func allow(_ text: String, isPrivate: Bool) throws {
    guard let origin = WebOrigin(text.contains("://") ? text : "https://\(text)") else {
      throw ServerSetupError(
        "\(text.debugDescription) is not the address of a host for scripts. Write https://HOST or https://HOST:PORT."
      )
    }
    guard origin.isHTTPS || isPrivate else {
      throw ServerSetupError(
        "Scripts reach \(origin) by http only with --script-private-host; others would read what is sent.")
    }
    origins[origin] = isPrivate || origins[origin] == true
  }

  /// Whether `origin` is listed, and then whether it may be private.
  func allowance(for origin: WebOrigin) -> Bool? { origins[origin] }

  var isEmpty: Bool { origins.isEmpty }
}
