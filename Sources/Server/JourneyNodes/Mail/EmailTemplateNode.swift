internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

/// Sends the account's own address a mail from a template, and continues at once.
///
/// `EMAIL_NOT_SENT` says that there is no such template, and, of a person whom the journey has verified, that they have no address. It
/// reveals nothing about anybody else, because the outcome would tell which names exist.
struct EmailTemplateNode: JourneyNode {
  private enum Outcome {
    static let sent = "EMAIL_SENT"
    static let notSent = "EMAIL_NOT_SENT"
  }

  let outcomes = [Outcome.sent, Outcome.notSent]
  let warnings: [String]
  private let services: NodeServices

  /// `nil` for one that the file does not have, that is switched off, or that cannot be read.
  private let template: MailTemplate?
  private let attribute: JSONPointer
  private let identityAttribute: String

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    let name = try definition.string("emailTemplateName", default: "welcome")
    attribute = try definition.mailAttribute()
    identityAttribute = try definition.identityAttribute()
    let templates = definition.attachments.emailTemplates
    guard let object = templates[name] ?? templates["emailTemplate/\(name)"] else {
      template = nil
      warnings = [
        "the file has no e-mail template \(name): nobody gets mail, and it takes \(Outcome.notSent)"
      ]
      return
    }
    do throws(MailTemplateFault) {
      template = try MailTemplate(object)
      warnings =
        template == nil
        ? ["the e-mail template \(name) is switched off: nobody gets mail, and it takes \(Outcome.notSent)"]
        : []
    } catch {
      definition.repaired(
        "emailTemplateName", "names the template \(name.quoted), which \(error.problem)",
        instead: "Nobody gets mail, and the node takes \(Outcome.notSent).")
      template = nil
      warnings = []
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard let template else {
      return context.outcome(Outcome.notSent, because: "no mail was sent: there is no such template")
    }
    let start = ContinuousClock.now
    let result = try await send(template, &context)
    if context.state.authenticatedAt == nil { try await services.evenAnswer.wait(since: start) }
    return result
  }

  private func send(_ template: MailTemplate, _ context: inout NodeContext) async throws -> NodeResult {
    let user = try await services.identity(in: &context, by: identityAttribute)
    var object = user.map { ManagedUsers.object(of: $0) } ?? [:]
    object[ManagedAttribute.password] = nil
    guard let user, user.isActive,
      let address = context.mail(of: user, at: attribute).flatMap({ MailAddress($0) })
    else {
      return context.outcome(
        context.state.authenticatedAt == nil ? Outcome.sent : Outcome.notSent,
        because: "no mail was sent: there is no active account, or no mail address")
    }
    services.mail.send(
      template.message(
        to: address, object: object, username: user.username, locales: context.request.locales,
        mail: services.mail))
    return .outcome(Outcome.sent)
  }
}
