public import Foundation

/// Facts that may become true once only: an `authId` answered, a challenge signed.
public protocol OnceStore: Sendable {
  /// Records `key` until `expiry`. `true` for exactly one caller; `false` when it was there already.
  /// This is one conditional write; it is durable when it returns.
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool

  /// Records that `key` is remembered until `expiry`, if it is there and was to be forgotten earlier. Durable when it returns.
  func prolong(_ key: [UInt8], until expiry: Date) async throws

  /// Until when `key` is remembered; `nil` when it is not there.
  func expiry(of key: [UInt8]) async throws -> Date?
}
