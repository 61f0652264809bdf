public import Foundation

/// The token under which a push service reaches this device.
public struct PushDeviceToken: Codable, Identifiable, Sendable, Equatable {
  public let id: String

  /// The push service's token: for APNs the bytes in lower-case hexadecimal.
  public let token: String

  /// When this module received it.
  public let createdAt: Date

  /// A token, without blanks around it.
  public init(id: String = UUID().uuidString, token: String, createdAt: Date = Date()) {
    self.id = id
    self.token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    self.createdAt = createdAt
  }

  /// Returns the token without blanks around it.
  ///
  /// - Throws: ``PushError/invalidParameterValue(_:)`` for a blank one.
  static func usable(_ token: String) throws(PushError) -> String {
    let token = token.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !token.isEmpty else { throw .invalidParameterValue("The device token is empty.") }
    return token
  }

  /// Whether both are the same token, whenever they were received.
  public static func == (left: PushDeviceToken, right: PushDeviceToken) -> Bool {
    left.token == right.token
  }
}

extension PushDeviceToken: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A description without the token, because some services let anyone who has it send to the device.
  public var description: String { "PushDeviceToken(id: \(id), \(token.count) characters)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}
