internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore

/// Seals texts that clients carry and nobody may read or change: codes, tokens, pushed requests and requests that wait for a sign-in.
///
/// Any server opens what another one has sealed. A token names its grant, so the database is queried by key.
struct TicketSealing: Sendable {
  /// The purpose of a sealed text, which is not accepted for another purpose.
  enum Purpose: String, Sendable {
    case code, refresh, access, clientAccess, request, interaction, consent, decoupled
    case device, deviceInteraction, deviceConfirmation
  }

  private let secrets: @Sendable () -> [[UInt8]]
  private let identifiers: SymmetricKey
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// The longest text that is opened. Bytes.
  private static let longest = 16 << 10
  private static let saltCount = 16

  /// How long a text is opened after the server key was rotated. Seconds: 90 days. Clients that renew their tokens within this time notice
  /// no rotation.
  static let lifetime: TimeInterval = 90 * 86_400

  /// - Parameters:
  ///   - secrets: returns the secret in use, then earlier ones whose texts are still opened; none while this server lacks the one in use.
  ///   - identifiers: the secret of ``identifier(of:)``, which is never replaced.
  init(
    secrets: @escaping @Sendable () -> [[UInt8]], identifiers: [UInt8],
    randomBytes: @escaping @Sendable (Int) -> [UInt8]
  ) {
    (self.secrets, self.randomBytes) = (secrets, randomBytes)
    self.identifiers = SymmetricKey(data: identifiers)
  }

  /// Derives a key for each text, so that no key wears out however many texts there are.
  private static func key(_ secret: [UInt8], _ purpose: Purpose, salt: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: SymmetricKey(data: secret), salt: salt,
      info: Array("sealring openid \(purpose.rawValue)".utf8),
      outputByteCount: 32)
  }

  /// The keyed hash that identifies a short text in the database, where a plain hash could be guessed. Hexadecimal.
  func identifier(of text: String) -> String {
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: identifiers, info: Array("sealring openid identifier".utf8), outputByteCount: 32)
    return Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)).hexadecimal
  }

  /// - Throws: ``StoreError/unavailable(_:)`` while this server lacks the server key in use.
  func seal(_ ticket: some Encodable, as purpose: Purpose, realm: String) throws -> String {
    guard let secret = secrets().first else {
      throw StoreError.unavailable("this server does not have the server key in use")
    }
    let salt = randomBytes(Self.saltCount)
    let sealed = try AES.GCM.seal(
      StoredJSON.bytes(of: ticket), using: Self.key(secret, purpose, salt: salt),
      authenticating: Array(realm.lowercased().utf8))
    // This is the layout of `combined`, which is `nil` only for nonces of another length.
    return Base64URL.encode(salt + Array(sealed.nonce) + sealed.ciphertext + sealed.tag)
  }

  /// Opens a text that was sealed for that purpose in that realm; `nil` for any other text.
  func open<Ticket: Decodable>(
    _ text: String?, as purpose: Purpose, realm: String, of _: Ticket.Type = Ticket.self
  ) -> Ticket? {
    guard let text, text.utf8.count <= Self.longest, let bytes = Base64URL.decode(text),
      bytes.count > Self.saltCount,
      let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(Self.saltCount))
    else { return nil }
    for secret in secrets() {
      let key = Self.key(secret, purpose, salt: Array(bytes.prefix(Self.saltCount)))
      let plain = try? AES.GCM.open(box, using: key, authenticating: Array(realm.lowercased().utf8))
      if let plain { return StoredJSON.value(from: [UInt8](plain)) }
    }
    return nil
  }
}
