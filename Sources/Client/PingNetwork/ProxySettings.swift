internal import Foundation
internal import WebAddresses

/// The proxies in the environment variables that libcurl, and therefore FoundationNetworking, reads.
///
/// On Apple's systems the environment is ignored, and the system's settings apply.
package struct ProxySettings: Sendable {
  private let value: @Sendable (String) -> String?

  package init(value: @escaping @Sendable (String) -> String?) { self.value = value }

  /// The present settings of this process.
  package static let process = ProxySettings { getenv($0).map { String(cString: $0) } }

  /// The variable that names the proxy for requests to `origin`; `nil` when they go there directly.
  func variable(for origin: WebOrigin) -> String? {
    #if canImport(Darwin)
      return nil
    #else
      let names =
        (origin.isHTTPS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
      guard let name = names.first(where: { text($0) != nil }), !isExempt(origin.host) else { return nil }
      return name
    #endif
  }

  /// The value of the variable `name`; an empty one counts as unset.
  private func text(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether `no_proxy` names `host`. Only forms that all versions of libcurl understand count: a name, names below it, an address.
  private func isExempt(_ host: String) -> Bool {
    guard let list = text("no_proxy") ?? text("NO_PROXY") else { return false }
    if list == "*" { return true }
    let host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let isAddress = IPAddress(host) != nil
    return list.split(separator: ",").contains { entry in
      let entry = entry.trimmingCharacters(in: .whitespaces).lowercased()
      if entry == host { return true }
      let name = entry.hasPrefix(".") ? String(entry.dropFirst()) : entry
      return !isAddress && !name.isEmpty && (host == name || host.hasSuffix("." + name))
    }
  }

  /// Exempts this process's requests to this machine from proxies. Call it when a program begins, before it has other threads.
  package static func exemptLoopback() {
    #if !canImport(Darwin)
      let proxies = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      guard proxies.contains(where: { process.text($0) != nil }) else { return }
      let list = process.text("no_proxy") ?? process.text("NO_PROXY")
      guard list != "*" else { return }
      let all = [list, "localhost", "127.0.0.1", "::1"].compactMap { $0 }.joined(separator: ",")
      setenv("no_proxy", all, 1)
    #endif
  }
}
