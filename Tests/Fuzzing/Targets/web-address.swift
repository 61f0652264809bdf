import Foundation
import WebAddresses

extension FuzzTarget {
  /// Origins, domain names with their public suffixes, hosts of requests and public addresses: written again they are the same.
  static let webAddress = FuzzTarget(text: { text in
    if let origin = WebOrigin(address: text) {
      expect(WebOrigin(origin.description) == origin, "an origin changes")
      expect(origin.isHTTPS == text.lowercased().hasPrefix("https:"), "an origin has another scheme")
      expect(WebOrigin(origin.namingLoopback.description) == origin.namingLoopback, "localhost changes")
    }
    if let name = DomainName(text) {
      expect(DomainName(name.ascii) == name, "a domain name changes")
      expect(name.ascii.utf8.allSatisfy { $0 < 0x80 } && name.ascii.utf8.count <= 253, "a name is not ASCII")
      let suffix = PublicSuffixes.suffix(of: name)
      expect(suffix == name || name.isBelow(suffix), "a public suffix is none")
      if let registrable = PublicSuffixes.registrableDomain(of: name) {
        expect(registrable == name || name.isBelow(registrable), "a registered name is another one's")
        expect(registrable.isBelow(suffix), "a registered name is a public suffix")
      }
      expect(name.isRegistrableSuffixOrEqual(of: name), "a name may not act for itself")
    }
    if ClientConnection.isHost(text) {
      expect(!text.contains { "/?#@\\ \"<>".contains($0) }, "a host can end a URL's host")
    }
    if let base = try? BaseAddress(text) {
      expect(base.origin != nil, "a public address has no origin")
      expect(!base.address(for: ClientConnection(address: nil)).hasSuffix("/"), "an address ends in a slash")
    }
  })
}
