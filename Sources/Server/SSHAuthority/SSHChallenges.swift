internal import Bytes
internal import Crypto
package import Foundation

/// Challenges for the attestation of a key. Nothing is stored before a challenge is used: a MAC of the server covers its account and
/// expiry.
package struct SSHChallenges: Sendable {
  /// How long a challenge can be answered. Seconds.
  package static let lifetime: TimeInterval = 300

  private static let label = Array("sealring ssh challenge 1\n".utf8)
  private static let nonceCount = 12
  private static let expiryCount = 4
  private static let codeCount = 16

  /// The secret for new challenges, followed by older ones whose challenges are still valid.
  private let secrets: @Sendable () -> [[UInt8]]

  package init(secrets: @escaping @Sendable () -> [[UInt8]]) { self.secrets = secrets }

  /// A challenge for the account with that id; `nil` while this server has no secret.
  ///
  /// - Returns: 32 bytes, and their expiry.
  func make(
    realm: String, accountID: String, now: Date, _ randomBytes: (Int) -> [UInt8]
  ) -> (bytes: [UInt8], expiry: Date)? {
    guard let secret = secrets().first else { return nil }
    let end = UInt32(clamping: Int64(now.timeIntervalSince1970 + Self.lifetime))
    let head = randomBytes(Self.nonceCount) + end.bigEndianBytes
    return (
      head + Self.code(head, realm, accountID, secret), Date(timeIntervalSince1970: TimeInterval(end))
    )
  }

  /// The challenge's expiry; `nil` if it was made for another account or has expired.
  func expiry(of bytes: [UInt8], realm: String, accountID: String, now: Date) -> Date? {
    let headCount = Self.nonceCount + Self.expiryCount
    guard bytes.count == headCount + Self.codeCount else { return nil }
    let (head, code) = (Array(bytes[..<headCount]), bytes[headCount...])
    guard
      secrets().contains(where: {
        ConstantTime.areEqual(Self.code(head, realm, accountID, $0), Array(code))
      })
    else { return nil }
    let end = head[Self.nonceCount...].reduce(0) { $0 << 8 | UInt32($1) }
    let expiry = Date(timeIntervalSince1970: TimeInterval(end))
    return now < expiry ? expiry : nil
  }

  private static func code(
    _ head: [UInt8], _ realm: String, _ accountID: String, _ secret: [UInt8]
  ) -> [UInt8] {
    // The realm's length separates the realm from the account.
    let message =
      label + UInt32(clamping: realm.utf8.count).bigEndianBytes + realm.utf8 + accountID.utf8 + head
    return Array(
      HMAC<SHA256>.authenticationCode(for: message, using: SymmetricKey(data: secret)).prefix(codeCount))
  }
}
