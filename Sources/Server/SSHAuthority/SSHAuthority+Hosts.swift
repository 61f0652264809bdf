package import Accounts
internal import Bytes
internal import Foundation
internal import JourneyStore
internal import SSHFormats
internal import SecurityEvents

extension SSHAuthority {
  /// Types of keys that sshd generates by default. RSA is left out: every sshd has another key.
  private static let hostKeyTypes = [
    "ssh-ed25519", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
  ]

  /// The lifetimes of a host's certificate, in days.
  package static let hostDays = 1...825
  package static let standardHostDays = 90
  private static let mostNames = 64

  /// Certifies a host's key for an administrator of the realm.
  ///
  /// - Parameters:
  ///   - line: a line of a file such as `/etc/ssh/ssh_host_ed25519_key.pub`.
  ///   - names: the host's names and addresses, in the spelling that clients use.
  /// - Throws: ``SSHRefusal``, `AccountRefusal`, or the store's error.
  package func certifyHost(
    _ line: String, names: [String], days: Int, in realm: String, by actor: AccountActor
  ) async throws -> IssuedSSHCertificate {
    let caller = try await requireAdministrator(actor, of: realm)
    _ = try await settings(of: realm)
    guard (1...Self.mostNames).contains(names.count), names.allSatisfy(Self.isHostName) else {
      throw SSHRefusal(
        .invalid,
        "A host's certificate needs 1 to \(Self.mostNames) names or addresses, in lower case and without wildcards."
      )
    }
    guard Self.hostDays.contains(days) else {
      throw SSHRefusal(
        .invalid,
        "A host's certificate is good for \(Self.hostDays.lowerBound) to \(Self.hostDays.upperBound) days.")
    }
    let (key, comment) = try await certifiable(line, types: Self.hostKeyTypes, in: realm)
    let now = accounts.clock()
    var draft = Draft(
      key: key, comment: comment, purpose: .host, principals: names, start: now,
      end: now.addingTimeInterval(TimeInterval(days) * 86_400))
    var asker: UserRecord?
    if case .session(let session) = actor {
      asker = try await accounts.store.user(session.account)
      draft.journey = session.service ?? ""
    }
    let (issued, record) = try await issue(draft, in: realm, for: asker, by: caller)
    try await note(.sshCertificateIssued, realm, actor, record.detail)
    return issued
  }

  /// Letters, digits, hyphens and dots; colons in addresses.
  private static func isHostName(_ name: String) -> Bool {
    (1...253).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
      && name == name.lowercased()
      && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-.:".utf8.contains($0) }
  }
}
