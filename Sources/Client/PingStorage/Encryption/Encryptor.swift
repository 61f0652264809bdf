public import Foundation

/// Encrypts and decrypts the data of a storage.
public protocol Encryptor: Sendable {
  /// Returns the encrypted form of `data`. When it throws, nothing is stored in clear.
  func encrypt(data: Data) async throws -> Data

  /// Returns the data that ``encrypt(data:)`` encrypted.
  func decrypt(data: Data) async throws -> Data
}

/// Leaves data as they are.
public struct NoEncryptor: Encryptor {
  /// An encryptor that leaves data as they are.
  public init() {}

  public func encrypt(data: Data) async throws -> Data { data }
  public func decrypt(data: Data) async throws -> Data { data }
}

/// Why an ``Encryptor`` failed.
public enum EncryptorError: LocalizedError, Sendable {
  /// The data could not be encrypted.
  case failedToEncrypt

  /// The data could not be decrypted.
  case failedToDecrypt

  public var errorDescription: String? {
    switch self {
    case .failedToEncrypt:
      "The data could not be encrypted: the key could not be used"
    case .failedToDecrypt:
      "The data could not be decrypted: it was changed, encrypted with another key, or not encrypted at all"
    }
  }

  public var failureReason: String? {
    switch self {
    case .failedToEncrypt: "The key could not be used."
    case .failedToDecrypt: "The data was changed, encrypted with another key, or not encrypted at all."
    }
  }

  public var recoverySuggestion: String? {
    switch self {
    case .failedToEncrypt: "Check that the device's key store can be used, then try again."
    case .failedToDecrypt:
      "Restore the key that the data was encrypted with, or delete the data and start afresh."
    }
  }

  /// The same text as ``errorDescription``.
  public var errorMessage: String { errorDescription ?? "" }
}
