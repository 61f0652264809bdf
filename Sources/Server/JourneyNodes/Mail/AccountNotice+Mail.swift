internal import Accounts
internal import BindingFormats
internal import MailService

extension AccountNotice {
  /// The mail that tells of the change; `nil` where the account's address is none.
  ///
  /// It has no link: whoever gets such a mail learns to trust no link in one. It is counted apart from other mail, so that nobody keeps it away by
  /// asking for other mail first.
  func message(_ mail: NodeMail) -> MailMessage? {
    guard let recipient = MailAddress(address) else { return nil }
    var message = MailMessage(
      from: mail.sender, senderName: mail.senderName, to: recipient, subject: "Your account was changed",
      text: """
        \(what) of the account \(account.username) was changed.
        If this was not you, sign in, open your account's activity and choose "This was not me", or tell whoever runs this service.
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
