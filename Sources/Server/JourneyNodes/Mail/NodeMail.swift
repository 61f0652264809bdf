internal import Accounts
internal import BindingFormats
internal import JourneyEngine
internal import JourneyStore
public import MailService
internal import QueryFilters
internal import StrictJSON

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

extension NodeContext {
  /// The address for mail to an account: the value of `attribute`; for `mail`, the address that counts (``MailState``).
  ///
  /// A run that has proven its person, or has made the account, may use an address that does not count yet when there is no other. A run
  /// that has proven its person always sends links to the first address, because the link confirms it.
  func mail(of user: UserRecord, at attribute: JSONPointer, isLink: Bool = false) -> String? {
    guard attribute.names == [ManagedAttribute.mail] else {
      return attribute.value(in: ManagedUsers.object(of: user))?.stringValue
    }
    let isProven =
      state.authenticatedAt != nil && state.username?.lowercased() == user.username.lowercased()
    if isProven, isLink { return user.mail.first }
    return user.countingMail ?? (isProven || state.createdAccount == user.id ? user.mail.first : nil)
  }
}

extension AccountNotice {
  /// The mail about the change; `nil` when the account's address is not valid.
  ///
  /// It has no link, so that people learn not to trust links in such mails. It is counted apart from other mail, so that nobody can
  /// suppress it by requesting other mail first.
  func message(_ mail: NodeMail) -> MailMessage? {
    guard let recipient = MailAddress(address) else { return nil }
    var message = MailMessage(
      from: mail.sender, senderName: mail.senderName, to: recipient, subject: "Your account was changed",
      text: """
        \(what) of the account \(account.username) was changed.
        If this was not you, sign in, open your account's activity and choose "This was not me", or tell the operator of this service.
        """)
    message.link = MailMessage.LinkFacts(purpose: "notice of an account's change: \(what)", requester: "")
    return message
  }

  private var what: String {
    switch change {
    case .mail: "The mail address"
    case .links: "The list of other services that sign in to this account"
    case .securityQuestions: "The list of security questions"
    }
  }
}

/// Gives answers about known and unknown people the same duration, which is long enough for the work for a known one.
public struct EvenAnswer: Sendable {
  /// How long an answer takes at least.
  var least: Duration
  private let pause: @Sendable (Duration) async throws -> Void

  /// A tenth of a second: many times what finding an account and making its mail takes, and not noticeable to a person who goes to read it.
  public static let standard = EvenAnswer(least: .milliseconds(100)) { try await Task.sleep(for: $0) }

  public init(least: Duration, pause: @escaping @Sendable (Duration) async throws -> Void) {
    self.least = least
    self.pause = pause
  }

  /// Waits until ``least`` has passed since `start`.
  func wait(since start: ContinuousClock.Instant) async throws {
    let left = least - start.duration(to: .now)
    if left > .zero { try await pause(left) }
  }
}
