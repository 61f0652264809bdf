internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

/// Sends the one-time code to the mail address of the journey's account. People without an account get the same answer and no mail.
///
/// Mail goes by the server's own mail service, whatever SMTP server the file names.
struct OneTimePasswordSmtpSenderNode: JourneyNode {
  let outcomes = ["outcome"]
  let stateInputs = [StateKey.oneTimePassword]
  private let services: NodeServices
  private let attribute: JSONPointer
  private let from: MailAddress?
  private let subject: LocalizedText
  private let content: LocalizedText

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    attribute = try definition.mailAttribute()
    let sender = try definition.string("fromEmailAddress")
    from = MailAddress(sender)
    if from == nil, !sender.isEmpty {
      definition.repaired(
        "fromEmailAddress", "must be a mail address without a name",
        instead: "The server's own sender is used.")
    }
    subject = try definition.textOrLocalized("emailSubject", builtIn: "Your one-time code")
    content = try definition.textOrLocalized(
      "emailContent",
      builtIn: "Here is your one-time code: {{OTP}}\nIf you did not ask for it, ignore this mail.")
  }

  var notes: [String] {
    ["mail goes by the server's mail service (--mail-…), not by the SMTP server that the file names"]
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let code = context.state.transient[StateKey.oneTimePassword]?.stringValue else {
      throw NodeError("there is no one-time code; put a OneTimePasswordGeneratorNode before this node")
    }
    guard let user = try await services.identity(in: &context, by: ManagedAttribute.userName), user.isActive,
      let recipient = context.mail(of: user, at: attribute).flatMap({ MailAddress($0) })
    else {
      return context.outcome("outcome", because: "no code was sent: there is no account with a mail address")
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
