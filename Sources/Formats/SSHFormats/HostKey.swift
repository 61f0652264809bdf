internal import Crypto
internal import CryptoExtras
internal import Foundation

/// The public key of an SSH server or authority, of any of the types that OpenSSH makes for hosts; or the key that a certificate is
/// for, which may be a security key.
package struct HostKey: Sendable, Hashable {
  /// The name of the key's type, such as `ssh-ed25519`.
  package let type: String

  /// The key in wire format.
  package let blob: [UInt8]

  private enum Material: Hashable {
    case ed25519([UInt8])
    case ecdsa(curve: String, point: [UInt8])
    case rsa(exponent: [UInt8], modulus: [UInt8])
    case securityKey(SSHPublicKey)
  }

  private let material: Material

  /// The longest key that is read, in bytes: RSA with 16,384 bits needs about 2,100.
  private static let maximumBytes = 4096

  /// - Throws: ``SSHFormatError`` when it is not a key, or of a type that is not known here.
  package init(parsing blob: [UInt8]) throws(SSHFormatError) {
    guard blob.count <= Self.maximumBytes else { throw SSHFormatError("The host key is too long.") }
    var reader = SSHReader(blob)
    try self.init(type: try reader.text(), fields: &reader)
    try reader.end()
  }

  /// Reads the fields after a key's type, which certificates hold without the type.
  init(type: String, fields reader: inout SSHReader) throws(SSHFormatError) {
    self.type = type
    let fields: [SSHField]
    switch type {
    case "ssh-ed25519":
      let key = try reader.string()
      guard key.count == 32 else { throw SSHFormatError("An Ed25519 key has 32 bytes.") }
      material = .ed25519(key)
      fields = [.string(key)]
    case "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521":
      let (curve, point) = (try reader.text(), try reader.string())
      guard type.hasSuffix("-\(curve)") else { throw SSHFormatError("The host key is on another curve.") }
      material = .ecdsa(curve: curve, point: point)
      fields = [.text(curve), .string(point)]
    case "ssh-rsa":
      let (exponent, modulus) = (try reader.number(limit: 8), try reader.number(limit: 2048))
      material = .rsa(exponent: exponent, modulus: modulus)
      fields = [.number(exponent), .number(modulus)]
    case SSHPublicKey.securityKeyType:
      let key = try SSHPublicKey(type: type, fields: &reader)
      material = .securityKey(key)
      fields = key.fields
    default:
      throw SSHFormatError("Keys of this type are not known here.")
    }
    blob = SSHField.bytes([.text(type)] + fields)
  }

  /// The fingerprint, as OpenSSH shows it.
  package var fingerprint: String { SSHPublicKey.fingerprint(of: blob) }

  /// Whether `signature`, with the name of its algorithm (RFC 4253 §6.6), is this key's over `data`. SHA-1 is refused, and so are
  /// security keys, which belong to people and not to hosts or authorities.
  package func isValid(_ signature: [UInt8], over data: [UInt8]) -> Bool {
    do {
      var reader = SSHReader(signature)
      let algorithm = try reader.text()
      let value = try reader.string()
      try reader.end()
      return try isValid(value, algorithm: algorithm, over: data)
    } catch { return false }
  }

  private func isValid(_ value: [UInt8], algorithm: String, over data: [UInt8]) throws -> Bool {
    switch material {
    case .ed25519(let key):
      guard algorithm == type else { return false }
      return try Curve25519.Signing.PublicKey(rawRepresentation: key).isValidSignature(value, for: data)
    case .ecdsa(let curve, let point):
      guard algorithm == type else { return false }
      switch curve {
      case "nistp256":
        return try P256.Signing.PublicKey(x963Representation: point).isValidSignature(
          P256.Signing.ECDSASignature(rawRepresentation: try Self.raw(value, 32)),
          for: SHA256.hash(data: data))
      case "nistp384":
        return try P384.Signing.PublicKey(x963Representation: point).isValidSignature(
          P384.Signing.ECDSASignature(rawRepresentation: try Self.raw(value, 48)),
          for: SHA384.hash(data: data))
      default:
        return try P521.Signing.PublicKey(x963Representation: point).isValidSignature(
          P521.Signing.ECDSASignature(rawRepresentation: try Self.raw(value, 66)),
          for: SHA512.hash(data: data))
      }
    case .rsa(let exponent, let modulus):
      let key = try _RSA.Signing.PublicKey(n: modulus, e: exponent)
      let signature = _RSA.Signing.RSASignature(rawRepresentation: value)
      switch algorithm {
      case "rsa-sha2-256":
        return key.isValidSignature(signature, for: SHA256.hash(data: data), padding: .insecurePKCS1v1_5)
      case "rsa-sha2-512":
        return key.isValidSignature(signature, for: SHA512.hash(data: data), padding: .insecurePKCS1v1_5)
      default: return false
      }
    case .securityKey: return false
    }
  }

  /// r ‖ s, `size` bytes each, of the two numbers in `value`.
  private static func raw(_ value: [UInt8], _ size: Int) throws(SSHFormatError) -> [UInt8] {
    var reader = SSHReader(value)
    let (r, s) = (try reader.number(limit: size), try reader.number(limit: size))
    try reader.end()
    return [r, s].flatMap { [UInt8](repeating: 0, count: size - $0.count) + $0 }
  }
}
