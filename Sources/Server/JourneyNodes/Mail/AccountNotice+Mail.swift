internal import Accounts
internal import BindingFormats
internal import MailService

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
