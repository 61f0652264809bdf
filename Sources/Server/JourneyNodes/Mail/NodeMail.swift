public import MailService

/// How nodes send mail: at once, and without learning the outcome.
public struct NodeMail: Sendable {
  /// Who sends mail when a template names nobody.
  public var sender: MailAddress
  public var senderName: String
  private let deliver: @Sendable (MailMessage) -> Void

  /// Sends nothing.
  public static let none = NodeMail(sender: .standard) { _ in }

  public init(
    sender: MailAddress, senderName: String = "", deliver: @escaping @Sendable (MailMessage) -> Void
  ) {
    self.sender = sender
    self.senderName = senderName
    self.deliver = deliver
  }

  public func send(_ message: MailMessage) { deliver(message) }
}
