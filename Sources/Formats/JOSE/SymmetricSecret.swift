internal import Crypto

/// Secret bytes shared by two parties. Never printed; compared in constant time.
public struct SymmetricSecret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible {
  let key: SymmetricKey

  /// A secret of these bytes.
  public init(_ bytes: some Sequence<UInt8>) { key = SymmetricKey(data: Array(bytes)) }

  /// How many bits the secret has.
  public var bitCount: Int { key.bitCount }

  public var description: String { "SymmetricSecret(redacted)" }
  public var debugDescription: String { description }
}
