public import Foundation

/// Remembers which steps have been answered, for all servers of a cluster.
public protocol StepLedger: Sendable {
  /// Records `key` until `expiry`. `true` for exactly one caller, `false` when it was recorded before.
  /// One conditional write; durable when it returns.
  func consume(_ key: [UInt8], until expiry: Date) async throws -> Bool
}
