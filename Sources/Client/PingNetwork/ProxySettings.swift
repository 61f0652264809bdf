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

  /// Whether `no_proxy` names `host`. Only forms that all versions of libcurl understand count: a name, names below it, an address. From 8.9 on
  /// libcurl reads no further than to an entry that another one follows without a comma.
  private func isExempt(_ host: String) -> Bool {
    guard let list = text("no_proxy") ?? text("NO_PROXY") else { return false }
    if list == "*" { return true }
    let host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    let (name, isAddress) = (Array(host.utf8), IPAddress(host) != nil)
    for part in list.utf8.split(separator: UInt8(ascii: ",")) {
      // No other blanks, and no other letters than ASCII's in either case, are alike for libcurl.
      let words = part.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
      guard let word = words.first else { continue }
      let entry = word.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
      if entry == name { return true }
      let domain = entry.first == UInt8(ascii: ".") ? entry.dropFirst() : entry[...]
      let rest = name.dropLast(domain.count)
      if !isAddress, !domain.isEmpty, name.suffix(domain.count) == domain,
        rest.isEmpty || rest.last == UInt8(ascii: ".")
      {
        return true
      }
      if words.count > 1 { return false }
    }
    return false
  }

  /// Exempts this process's requests to this machine from proxies. Call it when a program begins, before it has other threads.
  package static func exemptLoopback() {
    #if !canImport(Darwin)
      let proxies = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
      guard proxies.contains(where: { process.text($0) != nil }) else { return }
      let list = process.text("no_proxy") ?? process.text("NO_PROXY")
      guard list != "*" else { return }
      // First: libcurl may not read the whole list.
      let all = ["localhost", "127.0.0.1", "::1", list].compactMap(\.self).joined(separator: ",")
      setenv("no_proxy", all, 1)
    #endif
  }
}
