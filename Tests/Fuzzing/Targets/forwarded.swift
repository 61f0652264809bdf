import HTTPTypes
import WebAddresses

extension FuzzTarget {
  /// What a client wrote, whatever it is, never changes what the trusted proxy appended; and nobody else is believed.
  static let forwarded = FuzzTarget(text: { text in
    guard let proxy = IPAddress("10.0.0.1"), let stranger = IPAddress("192.0.2.1"),
      let client = IPAddress("203.0.113.9"), let block = try? AddressBlock("10.0.0.0/8")
    else { return }
    let proxies = TrustedProxies(blocks: [block], isTLS: false)
    let lines = text.split(separator: "\n", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
    let names = ["X-Forwarded-For", "Forwarded", "X-Forwarded-Host", "X-Forwarded-Proto"]
    let request = request(zip(names, lines))
    let alone = proxies.connection(of: request, peer: stranger)
    expect(alone == ClientConnection(address: stranger, host: "own.example"), "a stranger is believed")
    let connection = proxies.connection(of: request, peer: proxy)
    expect(connection.host.map { ClientConnection.isHost($0) } ?? false, "a host cannot stand in a URL")
    if let address = connection.address {
      expect(IPAddress(address.description) == address, "an address is written as another one")
    }
    // Too much text is not believed at all; then it is as if the proxy had said nothing.
    let list = proxies.connection(
      of: Self.request([("X-Forwarded-For", lines[0] + ", 203.0.113.9")]), peer: proxy
    ).address
    expect(list == client || list == proxy && text.utf8.count > 3000, "a client forges X-Forwarded-For")
    let element = proxies.connection(
      of: Self.request([("Forwarded", lines[0] + ", for=203.0.113.9;proto=https")]), peer: proxy)
    expect(
      element.address == client || element.address == proxy && text.utf8.count > 3000,
      "a client forges Forwarded")
  })

  private static func request(_ headers: some Sequence<(String, String)>) -> HTTPRequest {
    var request = HTTPRequest(method: .get, scheme: nil, authority: "own.example", path: "/")
    for (name, value) in headers {
      if let name = HTTPField.Name(name) { request.headerFields.append(HTTPField(name: name, value: value)) }
    }
    return request
  }
}
