internal import Bytes
internal import Crypto
internal import Foundation
internal import JourneyStore

/// Seals what clients carry and nobody may read or change: codes, tokens, pushed requests and requests that wait for a sign-in.
///
/// So any server opens what another one gave out, and the database is asked by its keys: a token tells whose grant it is.
struct TicketSealing: Sendable {
  /// What a sealed text is for; one is not accepted in the place of another.
  enum Purpose: String, Sendable {
    case code, refresh, access, clientAccess, request, interaction, consent, decoupled
    case device, deviceInteraction, deviceConfirmation
  }

  private let secret: SymmetricKey
  private let randomBytes: @Sendable (Int) -> [UInt8]

  /// Longest text that is opened.
  private static let longest = 16 << 10
  private static let saltCount = 16

  init(secret: [UInt8], randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
    self.secret = SymmetricKey(data: secret)
    self.randomBytes = randomBytes
  }

  /// Each text has a key of its own, so that no number of them wears a key out.
  private func key(_ purpose: Purpose, salt: [UInt8]) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret, salt: salt, info: Array("sealring openid \(purpose.rawValue)".utf8),
      outputByteCount: 32)
  }

  /// Names something in the database by a text that is too short for its hash to hide it. Hexadecimal.
  func identifier(of text: String) -> String {
    let key = HKDF<SHA256>.deriveKey(
      inputKeyMaterial: secret, info: Array("sealring openid identifier".utf8), outputByteCount: 32)
    return Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)).hexadecimal
  }

  func seal(_ ticket: some Encodable, as purpose: Purpose, realm: String) throws -> String {
    let salt = randomBytes(Self.saltCount)
    let sealed = try AES.GCM.seal(
      StoredJSON.bytes(of: ticket), using: key(purpose, salt: salt),
      authenticating: Array(realm.lowercased().utf8))
    // As `combined` has it, which is there for nonces of this length.
    return Base64URL.encode(salt + Array(sealed.nonce) + sealed.ciphertext + sealed.tag)
  }

  /// What was sealed for that purpose in that realm; `nil` for any other text.
  func open<Ticket: Decodable>(
    _ text: String?, as purpose: Purpose, realm: String, of _: Ticket.Type = Ticket.self
  ) -> Ticket? {
    guard let text, text.utf8.count <= Self.longest, let bytes = Base64URL.decode(text),
      bytes.count > Self.saltCount,
      let box = try? AES.GCM.SealedBox(combined: bytes.dropFirst(Self.saltCount)),
      let plain = try? AES.GCM.open(
        box, using: key(purpose, salt: Array(bytes.prefix(Self.saltCount))),
        authenticating: Array(realm.lowercased().utf8))
    else { return nil }
    return StoredJSON.value(from: [UInt8](plain))
  }
}
