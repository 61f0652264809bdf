/// A request to an SSH agent (draft-miller-ssh-agent §4).
package enum AgentRequest: Sendable, Hashable {
  /// `SSH_AGENTC_REQUEST_IDENTITIES`
  case identities
  /// `SSH_AGENTC_SIGN_REQUEST`: the key, the data to sign, and flags, which only RSA keys use.
  case sign(key: [UInt8], data: [UInt8], flags: UInt32)
  /// `SSH_AGENTC_LOCK`
  case lock(passphrase: [UInt8])
  /// `SSH_AGENTC_UNLOCK`
  case unlock(passphrase: [UInt8])
  /// `SSH_AGENTC_EXTENSION`
  case `extension`(name: String, contents: [UInt8])
  /// Any other message, by its number: adding and removing keys, smart cards.
  case other(UInt8)

  /// The largest message, in bytes, as in OpenSSH.
  package static let maximumBytes = 256 << 10

  /// - Parameter message: A whole message, without the length before it.
  package init(parsing message: [UInt8]) throws(SSHFormatError) {
    guard message.count <= Self.maximumBytes else {
      throw SSHFormatError("The message is longer than 256 KiB.")
    }
    var reader = SSHReader(message)
    switch try reader.byte() {
    case 11: self = .identities
    case 13: self = .sign(key: try reader.string(), data: try reader.string(), flags: try reader.uint32())
    case 22: self = .lock(passphrase: try reader.string())
    case 23: self = .unlock(passphrase: try reader.string())
    case 27: self = .extension(name: try reader.text(), contents: reader.remainder())
    case let number:
      self = .other(number)
      return
    }
    try reader.end()
  }

  /// The message, without the length before it; of ``other(_:)`` only its number.
  package var bytes: [UInt8] {
    let fields: [SSHField] =
      switch self {
      case .identities: [.byte(11)]
      case .sign(let key, let data, let flags): [.byte(13), .string(key), .string(data), .uint32(flags)]
      case .lock(let passphrase): [.byte(22), .string(passphrase)]
      case .unlock(let passphrase): [.byte(23), .string(passphrase)]
      case .extension(let name, let contents): [.byte(27), .text(name), .written(contents)]
      case .other(let number): [.byte(number)]
      }
    return SSHField.bytes(fields)
  }
}
