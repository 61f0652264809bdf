internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

/// Sends a mail with a link, and waits until its reader comes back by it.
///
/// With `objectLookup` the mail goes to an existing account; a name or address that nobody has gets the same answer at the same time, and
/// no mail. Without it, it goes to the address that was collected, as when somebody registers. The link goes into the mail and nowhere
/// else.
struct EmailSuspendNode: JourneyNode {
  let outcomes = ["outcome"]
  let warnings: [String]
  private let services: NodeServices
  private let template: MailTemplate?
  private let attribute: JSONPointer
  private let identityAttribute: String
  private let message: LocalizedText
  private let looksUp: Bool

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    let name = try definition.string("emailTemplateName", default: "registration")
    attribute = try definition.mailAttribute()
    identityAttribute = try definition.identityAttribute()
    looksUp = try definition.flag("objectLookup", default: false, instead: true)
    message = try definition.localized(
      "emailSuspendMessage",
      builtIn: "An email has been sent to the address you entered. Click the link in that email to proceed.")
    switch definition.mailTemplate(name, instead: "The built-in one is used.") {
    case .template(let found): (template, warnings) = (found, [])
    case .missing, .unreadable: (template, warnings) = (.builtIn, [])
    case .switchedOff:
      (template, warnings) = (nil, ["the e-mail template \(name) is switched off, so nobody gets mail"])
    }
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    guard !context.isResumed else { return try await resumed(&context) }
    let start = ContinuousClock.now
    let link = try context.resumeLink()
    let shown = message.text(for: context.request.locales)
    let user = looksUp ? try await services.identity(in: &context, by: identityAttribute) : nil
    var object = user.map { ManagedUsers.object(of: $0) } ?? (looksUp ? [:] : context.state.objectAttributes)
    object[ManagedAttribute.password] = nil
    let text =
      user.map { context.mail(of: $0, at: attribute, isLink: true) }
      ?? attribute.value(in: object)?.stringValue
    let address = text.flatMap { MailAddress($0) }
    // Who comes back has shown that the mail is theirs. As long for nobody's: what is stored must not differ.
    if looksUp { context.notes["account"] = .string(user?.id ?? services.uuid()) }
    context.notes["address"] = .string(address?.text ?? "nobody@example.com")
    guard let address, let template, user?.isActive ?? !looksUp else {
      context.logReason("no mail was sent: there is no active account, no mail address, or no template")
      return .suspend(
        Suspension(link: link, message: shown) { [services] in
          try await services.evenAnswer.wait(since: start)
        })
    }
    var mail = template.message(
      to: address, object: object, link: link.address, username: user?.username,
      locales: context.request.locales, mail: services.mail)
    mail.link = MailMessage.LinkFacts(
      purpose: [context.request.realm, context.journey, context.nodeID].joined(separator: "\n"),
      requester: context.request.clientAddress)
    return .suspend(
      Suspension(link: link, message: shown) { [services, mail] in
        services.mail.send(mail)
        try await services.evenAnswer.wait(since: start)
      })
  }

  private func resumed(_ context: inout NodeContext) async throws -> NodeResult {
    let address = context.notes["address"]?.stringValue
    guard let id = context.notes["account"]?.stringValue,
      let user = try await services.store.user(id: id, realm: context.request.realm), user.isActive
    else {
      if !looksUp, let address { context.state.noteProvenMail(address) }
      return .outcome("outcome")
    }
    if let address {
      context.state.noteProvenMail(address)
      try await services.accounts.confirmMail(address, id: id, realm: user.realm, by: context.actor)
    }
    // Found by what was typed, and now known by its mail.
    if context.state.username == nil { context.state.username = user.username }
    if context.state.username?.lowercased() == user.username.lowercased() {
      context.state.noteAccount(user.id)
      context.state.noteAuthentication(at: services.clock(), by: "mail")
    }
    return .outcome("outcome")
  }
}

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
