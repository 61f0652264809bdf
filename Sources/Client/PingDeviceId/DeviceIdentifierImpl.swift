internal import Bytes
internal import Crypto
internal import Foundation

/// A stored identifier.
public final class DeviceIdentifierImpl: DeviceIdentifier, Codable, Sendable {
  /// 64 lower-case hexadecimal digits.
  public let id: String

  /// The identifier of `deviceIdentifierKeyPair`: the SHA-256 of its public key.
  public init(deviceIdentifierKeyPair: DeviceIdentifierKeyPair) {
    id = Self.digest(of: deviceIdentifierKeyPair.publicKey)
  }

  /// The identifier of an earlier installation: the SHA-256 of its random bytes.
  init(randomBytes: Data) { id = Self.digest(of: randomBytes) }

  private enum CodingKeys: String, CodingKey { case id }

  /// - Throws: `DecodingError` unless the identifier has 64 lower-case hexadecimal digits: to servers, a damaged one is another device.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    id = try container.decode(String.self, forKey: .id)
    guard id.utf8.count == 64, id.utf8.allSatisfy(Self.isDigit) else {
      throw DecodingError.dataCorruptedError(
        forKey: .id, in: container, debugDescription: "an identifier has 64 lower-case hexadecimal digits")
    }
  }

  private static func isDigit(_ character: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
      || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(character)
  }

  private static func digest(of bytes: Data) -> String { SHA256.hash(data: bytes).hexadecimal }
}

/// Identifies this device. Servers treat the identifier as opaque text.
public protocol DeviceIdentifier: Sendable {
  /// The identifier, which stays the same for the lifetime of the app's data.
  ///
  /// - Throws: When the stored identifier cannot be read, or a new one cannot be stored. No other identifier is used then, because
  ///   servers would see another device.
  var id: String { get async throws }
}
