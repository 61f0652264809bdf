internal import Foundation

/// An IP address as the 16 bytes of IPv6; IPv4 in its mapped form (RFC 4291 §2.5.5.2), so that one client has one address.
///
/// Apart from the server's own `IPAddress`, because this module knows no network.
struct PolicyAddress: Sendable, Hashable, Comparable {
  private let bytes: [UInt8]

  var isIPv4: Bool { bytes.prefix(12).elementsEqual(Self.mapped) }

  private static let mapped: [UInt8] = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF]

  /// Reads `192.0.2.1` or `2001:db8::1`.
  init?(_ text: String) {
    guard (2...45).contains(text.utf8.count) else { return nil }
    var four = [UInt8](repeating: 0, count: 4)
    var sixteen = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET, text, &four) == 1 {
      bytes = Self.mapped + four
    } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
      bytes = sixteen
    } else {
      return nil
    }
  }

  static func < (lhs: PolicyAddress, rhs: PolicyAddress) -> Bool {
    lhs.bytes.lexicographicallyPrecedes(rhs.bytes)
  }
}

/// The addresses and names of hosts of an `IPv4` or `IPv6` condition.
struct AddressRange: Sendable, Hashable {
  /// `nil` when the condition names hosts alone.
  let addresses: ClosedRange<PolicyAddress>?

  /// In lower case; `*.example.com` for all below it.
  let hosts: [String]

  init(_ properties: PolicyProperties, isIPv4: Bool) throws(PolicyFileError) {
    func address(_ name: String) throws(PolicyFileError) -> PolicyAddress? {
      guard let text = try properties.optionalText(name) else { return nil }
      guard let address = PolicyAddress(text), address.isIPv4 == isIPv4 else {
        throw properties.wrong(name, "\"\(text)\" is not an \(isIPv4 ? "IPv4" : "IPv6") address")
      }
      return address
    }
    let start = try address("startIp")
    let end = try address("endIp")
    switch (start, end) {
    case (let start?, let end?):
      guard start <= end else { throw properties.wrong("endIp", "comes before startIp") }
      addresses = start...end
    case (let only?, nil), (nil, let only?): addresses = only...only
    case (nil, nil): addresses = nil
    }
    hosts = try properties.texts("dnsName").map { $0.lowercased() }
    if try !properties.texts("ipRange").isEmpty {
      throw properties.wrong("ipRange", "is not read; use startIp and endIp, in several conditions if needed")
    }
    guard addresses != nil || !hosts.isEmpty else {
      throw properties.wrong("startIp", "is missing; give startIp and endIp, or dnsName")
    }
  }

  func verdict(_ facts: PolicyFacts) -> Verdict {
    let host = facts.environment["requestDnsName"]?.first?.lowercased()
    return .any([
      addresses.map { range in facts.address.map { Verdict(range.contains($0)) } ?? .unknown } ?? .fails,
      hosts.isEmpty
        ? .fails : host.map { host in Verdict(hosts.contains { Self.covers($0, host) }) } ?? .unknown,
    ])
  }

  private static func covers(_ pattern: String, _ host: String) -> Bool {
    pattern == "*" || pattern == host || (pattern.hasPrefix("*.") && host.hasSuffix(pattern.dropFirst()))
  }
}
