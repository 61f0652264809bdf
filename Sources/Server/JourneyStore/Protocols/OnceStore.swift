public import Foundation

/// Facts that may become true once only: an `authId` answered, a challenge signed.
public protocol OnceStore: Sendable {
  /// Records `key` until `expiry`. `true` for exactly one caller; `false` when it was there already.
  /// This is one conditional write; it is durable when it returns.
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool
}
