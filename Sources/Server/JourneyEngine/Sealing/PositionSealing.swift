public import Bytes
internal import Crypto
internal import Foundation

/// Seals positions into `authId` and opens them again.
///
/// An `authId` is a compact JWE (RFC 7516 §7.1) with direct encryption (`dir`) by A256GCM. Its `kid` is the random id of the step; the
/// content key is expanded from the server's ``SealingKey`` with this id.
struct PositionSealing: Sendable {
  /// Returns the key that seals, then earlier keys, which only open; called each time, because keys are rotated.
  let keys: @Sendable () -> [SealingKey]

  /// Random bytes per step: its id, then the nonce.
  static let randomCount = stepIDCount + nonceCount

  /// The largest position in bytes, so that an `authId` always fits the request that brings it back.
  static let maximumContentBytes = 96 << 10

  private static let stepIDCount = 16
  private static let nonceCount = 12
  private static let tagCount = 16
  private static let headerStart = Array(#"{"alg":"dir","enc":"A256GCM","kid":""#.utf8)
  private static let headerEnd = Array(#""}"#.utf8)

  /// Without a key nothing can be sealed or opened.
  var hasKey: Bool { !keys().isEmpty }

  static let lacksKey =
    "this server does not have the key that the other servers seal with, or cannot tell which key that is"

  /// Why a position was not sealed or opened; for the log.
  struct Failure: Error { let reason: String }

  func seal(_ position: JourneyPosition, random: [UInt8]) throws -> String {
    let content = position.serialized
    guard content.count <= Self.maximumContentBytes else {
      throw Failure(reason: "the journey's state has grown to \(content.count) bytes")
    }
    guard random.count == Self.randomCount else {
      throw Failure(reason: "the random source gave too few bytes")
    }
    guard let key = keys().first else { throw Failure(reason: Self.lacksKey) }
    let step = Array(random.prefix(Self.stepIDCount))
    let header = Base64URL.encode(Self.headerStart + Base64URL.encode(step).utf8 + Self.headerEnd)
    let box = try AES.GCM.seal(
      content, using: key.key(forStep: step),
      nonce: AES.GCM.Nonce(data: random.suffix(Self.nonceCount)), authenticating: Array(header.utf8))
    return [
      header, "", Base64URL.encode(box.nonce), Base64URL.encode(box.ciphertext), Base64URL.encode(box.tag),
    ].joined(separator: ".")
  }

  func open(_ authID: String) throws(Failure) -> (position: JourneyPosition, step: [UInt8]) {
    guard authID.utf8.count <= Self.maximumContentBytes * 4 / 3 + 256 else {
      throw Failure(reason: "it is too long")
    }
    let parts = authID.parts(separatedBy: UInt8(ascii: "."), most: 6)
    guard parts.count == 5, parts[1].isEmpty, let header = Base64URL.decode(parts[0]),
      let nonce = Base64URL.decode(parts[2]), nonce.count == Self.nonceCount,
      let ciphertext = Base64URL.decode(parts[3]), let tag = Base64URL.decode(parts[4]),
      tag.count == Self.tagCount, let step = Self.step(inHeader: header)
    else { throw Failure(reason: "it does not have this server's form") }
    let authenticated = Array(parts[0].utf8)
    guard
      let nonce = try? AES.GCM.Nonce(data: nonce),
      let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag),
      let content = keys().lazy.compactMap({ key in
        try? AES.GCM.open(box, using: key.key(forStep: step), authenticating: authenticated)
      }).first
    else { throw Failure(reason: "it was changed, or sealed under another secret") }
    guard let position = JourneyPosition(parsing: Array(content)) else {
      throw Failure(reason: "it was sealed by another version")
    }
    return (position, step)
  }

  /// The header has only one form, so it is compared, not parsed.
  private static func step(inHeader header: [UInt8]) -> [UInt8]? {
    guard header.starts(with: headerStart), header.suffix(headerEnd.count).elementsEqual(headerEnd) else {
      return nil
    }
    let kid = header.dropFirst(headerStart.count).dropLast(headerEnd.count)
    guard let step = Base64URL.decode(String(decoding: kid, as: UTF8.self)), step.count == stepIDCount else {
      return nil
    }
    return step
  }
}

/// The key under which journeys' positions are sealed, the same on all servers of a cluster.
public struct SealingKey: Sendable, Redacted {
  /// The HMAC keyed with HKDF's pseudo-random key (RFC 5869 §2.2), computed once, which expands each step's own key.
  private let expansion: HMAC<SHA256>

  /// Derives the key from a long-lived secret of the server: at least 32 random bytes.
  public init(serverSecret: [UInt8]) {
    let root = HKDF<SHA256>.extract(
      inputKeyMaterial: SymmetricKey(data: serverSecret), salt: Array("sealring authId 1".utf8))
    expansion = HMAC<SHA256>(key: SymmetricKey(data: root))
  }

  /// The AES-256 key for one step.
  ///
  /// Each step has its own, so that no number of journeys under one secret comes near the limit that
  /// random nonces set for a single key (NIST SP 800-38D §8.3).
  func key(forStep id: [UInt8]) -> SymmetricKey {
    // HKDF-Expand of one block (RFC 5869 §2.3), for which swift-crypto's general form takes three times as long.
    var block = expansion
    block.update(data: id + [1])
    return SymmetricKey(data: block.finalize())
  }
}
