internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Sends the one-time code to the mail address of the journey's account. People without an account get the same answer and no mail.
  ///
  /// Mail goes by the server's own mail service, whatever SMTP server the file names.
  func oneTimePasswordSmtpSenderNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let attribute = try mailAttribute()
    let sender = try string("fromEmailAddress")
    let from = MailAddress(sender)
    if from == nil, !sender.isEmpty {
      repaired(
        "fromEmailAddress", "must be a mail address without a name",
        instead: "The server's own sender is used.")
    }
    let subject = try textOrLocalized("emailSubject", builtIn: "Your one-time code")
    let content = try textOrLocalized(
      "emailContent",
      builtIn: "Here is your one-time code: {{OTP}}\nIf you did not ask for it, ignore this mail.")
    return PlainNode(
      stateInputs: [StateKey.oneTimePassword],
      notes: ["mail goes by the server's mail service (--mail-…), not by the SMTP server that the file names"]
    ) { context in
      guard let code = context.state.transient[StateKey.oneTimePassword]?.stringValue else {
        throw NodeError("there is no one-time code; put a OneTimePasswordGeneratorNode before this node")
      }
      guard let user = try await services.identity(in: &context, by: ManagedAttribute.userName),
        user.isActive, let recipient = context.mail(of: user, at: attribute).flatMap({ MailAddress($0) })
      else {
        return context.outcome(
          "outcome", because: "no code was sent: there is no account with a mail address")
      }
      let locales = context.request.locales
      services.mail.send(
        MailMessage(
          from: from ?? services.mail.sender, senderName: from == nil ? services.mail.senderName : "",
          to: recipient, subject: subject.text(for: locales).replacing("{{OTP}}", with: code),
          text: content.text(for: locales).replacing("{{OTP}}", with: code)))
      return .outcome("outcome")
    }
  }
}
