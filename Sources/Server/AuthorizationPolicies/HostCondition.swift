internal import StrictJSON
internal import WebAddresses

/// The addresses and names of hosts of an `IPv4` or `IPv6` condition.
struct HostCondition: Sendable {
  /// `nil` when the condition names hosts alone.
  let addresses: ClosedRange<IPAddress>?

  /// In lower case; `*.example.com` for all below it.
  let hosts: [String]

  init(_ properties: JSONReader, isIPv4: Bool) throws(JSONFault) {
    func address(_ name: String) throws(JSONFault) -> IPAddress? {
      guard let text = try properties[name]?.text() else { return nil }
      guard let address = IPAddress(text), address.isIPv4 == isIPv4 else {
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
    hosts = try properties.member("dnsName").texts().map { $0.lowercased() }
    if try !properties.member("ipRange").texts().isEmpty {
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
