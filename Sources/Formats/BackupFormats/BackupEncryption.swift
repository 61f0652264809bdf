internal import Crypto
internal import Foundation

/// The outer form of a backup: a preamble, the recipient's public key, an encapsulated key of HPKE (RFC 9180), and the
/// content in pieces of 64 KiB, each encrypted and authenticated by itself.
///
/// HPKE numbers the pieces, so that none can be left out, repeated or moved. Each is authenticated together with one byte that says
/// whether it is the last, so that a cut and an addition are noticed.
///
/// The format is our own, because age's similar format has no maintained library in Swift.
enum BackupEncryption {
  /// The first bytes of every backup, which identify it and its version.
  static let preamble = Array("sealring-backup 1\n".utf8)

  /// Bytes of content in every piece but the last, which has as many or fewer.
  static let pieceLength = 64 << 10
  static let tagLength = 16
  static let encapsulatedLength = 32

  /// X25519, HKDF-SHA256, ChaCha20-Poly1305.
  @available(macOS 14, iOS 17, *)
  static var suite: HPKE.Ciphersuite { .Curve25519_SHA256_ChachaPoly }

  static func mark(isLast: Bool) -> Data { Data([isLast ? 1 : 0]) }
}

/// Encrypts a backup while it is written.
@available(macOS 14, iOS 17, *)
package struct BackupEncrypter {
  private var sender: HPKE.Sender
  private var waiting: [UInt8] = []
  private let output: ([UInt8]) throws -> Void

  /// - Parameter output: gets the file, in pieces.
  /// - Throws: ``BackupFault`` for a key that cannot be used, and what `output` throws.
  package init(to recipient: BackupRecipient, output: @escaping ([UInt8]) throws -> Void) throws {
    guard
      let key = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: recipient.bytes),
      let sender = try? HPKE.Sender(
        recipientKey: key, ciphersuite: BackupEncryption.suite, info: Data(BackupEncryption.preamble))
    else { throw BackupFault(.key, "nothing can be encrypted to this public key") }
    self.sender = sender
    self.output = output
    try output(BackupEncryption.preamble + recipient.bytes + [UInt8](sender.encapsulatedKey))
  }

  package mutating func write(_ bytes: [UInt8]) throws {
    waiting += bytes
    var start = 0
    // One piece is always kept back: only the end tells whether it is the last.
    while waiting.count - start > BackupEncryption.pieceLength {
      let end = start + BackupEncryption.pieceLength
      try seal(waiting[start..<end], isLast: false)
      start = end
    }
    waiting.removeFirst(start)
  }

  /// Writes the last piece. Nothing may follow it.
  package mutating func finish() throws {
    try seal(waiting[...], isLast: true)
    waiting = []
  }

  private mutating func seal(_ piece: ArraySlice<UInt8>, isLast: Bool) throws {
    try output(
      [UInt8](sender.seal(Data(piece), authenticating: BackupEncryption.mark(isLast: isLast))))
  }
}

/// Decrypts a backup while it is read. Only authenticated content is handed out.
@available(macOS 14, iOS 17, *)
package struct BackupDecrypter {
  /// The recipient's public key.
  package let recipient: BackupRecipient

  private var opener: HPKE.Recipient
  private var ahead: [UInt8]
  private var hasEnded = false
  private var hasMore = true
  private let input: () throws -> [UInt8]

  /// - Parameter input: returns the next bytes of the file, any number of them; none at the end.
  /// - Throws: ``BackupFault``, and what `input` throws.
  package init(_ identity: BackupIdentity, input: @escaping () throws -> [UInt8]) throws {
    let head = BackupEncryption.preamble.count + BackupRecipient.length + BackupEncryption.encapsulatedLength
    var ahead: [UInt8] = []
    while ahead.count < head, case let piece = try input(), !piece.isEmpty { ahead += piece }
    guard ahead.starts(with: BackupEncryption.preamble) else {
      throw BackupFault(
        .format,
        ahead.starts(with: BackupEncryption.preamble.prefix(16))
          ? "it is a backup of a later version of Sealring" : "it is not a backup of Sealring")
    }
    guard ahead.count >= head else { throw BackupFault(.damaged, "it ends within its first bytes") }
    let keys = ahead[BackupEncryption.preamble.count..<head]
    recipient = BackupRecipient(bytes: [UInt8](keys.prefix(BackupRecipient.length)))
    guard recipient == identity.recipient else {
      throw BackupFault(
        .key,
        "it was encrypted to another key, \(recipient); this private key belongs to \(identity.recipient)")
    }
    guard
      let opener = try? HPKE.Recipient(
        privateKey: identity.key, ciphersuite: BackupEncryption.suite, info: Data(BackupEncryption.preamble),
        encapsulatedKey: Data(keys.dropFirst(BackupRecipient.length)))
    else { throw BackupFault(.damaged, "its first bytes were changed") }
    self.opener = opener
    self.input = input
    self.ahead = [UInt8](ahead.dropFirst(head))
  }

  /// The next bytes of the content; `nil` after the last.
  package mutating func next() throws -> [UInt8]? {
    guard !hasEnded else { return nil }
    let length = BackupEncryption.pieceLength + BackupEncryption.tagLength
    // Reads one byte beyond the piece: whether there is one tells whether this piece is the last.
    while hasMore, ahead.count <= length {
      let piece = try input()
      hasMore = !piece.isEmpty
      ahead += piece
    }
    let isLast = ahead.count <= length
    let sealed = ahead.prefix(length)
    guard
      let content = try? opener.open(Data(sealed), authenticating: BackupEncryption.mark(isLast: isLast))
    else { throw BackupFault(.damaged, "it was cut or changed") }
    ahead.removeFirst(sealed.count)
    hasEnded = isLast
    return [UInt8](content)
  }
}
