import Foundation
import SSHFormats
import StrictJSON

/// A realm's authority for SSH certificates, as its server presents it.
struct PresentedAuthority {
  /// The keys that sign certificates of users and of hosts: the current ones, and earlier ones that are still valid.
  let userKeys: [AuthorizedKey]
  let hostKeys: [AuthorizedKey]
  /// The journey that a session must come from; `nil` when the realm names none.
  let journey: String?
  /// Whether the authority certifies only keys that their hardware attests.
  let requiresAttestation: Bool
  /// The lifetime of a certificate, in seconds.
  let lifetime: UInt64

  /// The most keys that a realm can have.
  private static let mostKeys = 16
  /// The longest lifetime that a realm can set: a day, in seconds.
  private static let longestLifetime: UInt64 = 86_400

  static func of(_ server: ServerOptions) async throws -> PresentedAuthority {
    do {
      return try PresentedAuthority(
        try await AdministrationClient(server: server, token: "").get("ssh"), server)
    } catch let failure as CommandFailure where failure.code == .notFound {
      throw CommandFailure.notFound(
        "Realm \(printable(server.realm)) at \(printable(server.baseAddress)) has no authority for SSH certificates."
          + MissingPath.hint(for: server.baseAddress))
    }
  }

  private init(_ json: JSONValue, _ server: ServerOptions) throws {
    func keys(_ name: String) -> [AuthorizedKey]? {
      let lines = json[name]?.arrayValue ?? []
      let keys = lines.prefix(Self.mostKeys).compactMap { line in
        line.stringValue.flatMap { try? AuthorizedKey(parsing: $0) }
      }
      return keys.count == lines.count ? keys : nil
    }
    guard let userKeys = keys("userAuthority"), let hostKeys = keys("hostAuthority"),
      let lifetime = json["lifetime"]?.integerValue.flatMap({ UInt64(exactly: $0) }),
      (1...Self.longestLifetime).contains(lifetime)
    else {
      throw CommandFailure.unsupported(
        "What \(printable(server.baseAddress)) says of its authority for SSH is not in a known form. Is it a journey server?"
      )
    }
    (self.userKeys, self.hostKeys, self.lifetime) = (userKeys, hostKeys, lifetime)
    journey = json["journey"]?.stringValue
    requiresAttestation = json["attested"]?.boolValue ?? false
  }

  /// Whether one of the user keys signed the certificate.
  func hasSigned(_ certificate: SSHCertificate) -> Bool {
    userKeys.contains { $0.key.blob == certificate.authority.blob }
  }
}
