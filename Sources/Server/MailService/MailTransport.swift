/// A way by which mail leaves the server.
public protocol MailTransport: Sendable {
  /// Hands over a message, and returns once the receiver has accepted it.
  ///
  /// - Parameters:
  ///   - bytes: the message in the form of ``MailMessage/wireForm(id:date:)``.
  ///   - id: letters and digits, different for each message.
  /// - Throws: ``MailError``.
  func send(_ bytes: [UInt8], from: MailAddress, to: MailAddress, id: String) async throws
}

/// Why a message was not handed over.
public struct MailError: Error, Sendable, Hashable, CustomStringConvertible {
  public let description: String

  /// Whether a later attempt may succeed.
  public let isTemporary: Bool

  public init(_ description: String, isTemporary: Bool) {
    self.description = description
    self.isTemporary = isTemporary
  }
}
