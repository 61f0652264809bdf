internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Sends the account's own address a mail from a template, and continues at once.
  ///
  /// `EMAIL_NOT_SENT` says that there is no such template, and, of a person whom the journey has verified, that they have no address. It
  /// reveals nothing about anybody else, because the outcome would tell which names exist.
  func emailTemplateNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let (sent, notSent) = ("EMAIL_SENT", "EMAIL_NOT_SENT")
    let name = try string("emailTemplateName", default: "welcome")
    let attribute = try mailAttribute()
    let identityAttribute = try identityAttribute()
    let found = mailTemplate(name, instead: "Nobody gets mail, and the node takes \(notSent).")
    var (template, warnings): (MailTemplate?, [String]) = (nil, [])
    switch found {
    case .template(let readable): template = readable
    case .missing:
      warnings = ["the file has no e-mail template \(name): nobody gets mail, and it takes \(notSent)"]
    case .switchedOff:
      warnings = ["the e-mail template \(name) is switched off: nobody gets mail, and it takes \(notSent)"]
    case .unreadable: break
    }
    return PlainNode(outcomes: [sent, notSent], warnings: warnings) { [template] context in
      guard let template else {
        return context.outcome(notSent, because: "no mail was sent: there is no such template")
      }
      let start = ContinuousClock.now
      let result: NodeResult
      let user = try await services.identity(in: &context, by: identityAttribute)
      if let user, user.isActive,
        let address = context.mail(of: user, at: attribute).flatMap({ MailAddress($0) })
      {
        var object = ManagedUsers.object(of: user)
        object[ManagedAttribute.password] = nil
        services.mail.send(
          template.message(
            to: address, object: object, username: user.username, locales: context.request.locales,
            mail: services.mail))
        result = .outcome(sent)
      } else {
        result = context.outcome(
          context.state.authenticatedAt == nil ? sent : notSent,
          because: "no mail was sent: there is no active account, or no mail address")
      }
      if context.state.authenticatedAt == nil { try await services.evenAnswer.wait(since: start) }
      return result
    }
  }

  /// What the journey's file has of an e-mail template.
  enum FoundTemplate {
    case template(MailTemplate)
    case missing, switchedOff, unreadable
  }

  /// - Parameter remedy: what is done instead of one that cannot be read.
  func mailTemplate(_ name: String, instead remedy: String) -> FoundTemplate {
    let templates = attachments.emailTemplates
    guard let object = templates[name] ?? templates["emailTemplate/\(name)"] else { return .missing }
    do throws(MailTemplateFault) {
      return try MailTemplate(object).map { .template($0) } ?? .switchedOff
    } catch {
      repaired(
        "emailTemplateName", "names the template \(name.quoted), which \(error.problem)", instead: remedy)
      return .unreadable
    }
  }
}
