internal import Accounts
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Sends a mail with a link, and waits until its reader comes back by it.
  ///
  /// With `objectLookup` the mail goes to an existing account; a name or address that nobody has gets the same answer at the same time, and
  /// no mail. Without it, it goes to the address that was collected, as when somebody registers. The link goes into the mail and nowhere
  /// else.
  func emailSuspendNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let name = try string("emailTemplateName", default: "registration")
    let attribute = try mailAttribute()
    let identityAttribute = try identityAttribute()
    let looksUp = try flag("objectLookup", default: false, instead: true)
    let message = try localized(
      "emailSuspendMessage",
      builtIn: "An email has been sent to the address you entered. Click the link in that email to proceed.")
    var (template, warnings): (MailTemplate?, [String]) = (nil, [])
    switch mailTemplate(name, instead: "The built-in one is used.") {
    case .template(let found): template = found
    case .missing, .unreadable: template = .builtIn
    case .switchedOff: warnings = ["the e-mail template \(name) is switched off, so nobody gets mail"]
    }
    return PlainNode(warnings: warnings) { [template] context in
      guard !context.isResumed else {
        return try await services.resumed(&context, looksUp: looksUp, at: attribute)
      }
      let start = ContinuousClock.now
      let link = try context.resumeLink()
      let user = looksUp ? try await services.identity(in: &context, by: identityAttribute) : nil
      var object = looksUp ? [:] : context.state.objectAttributes
      if let user { object = ManagedUsers.object(of: user) }
      object[ManagedAttribute.password] = nil
      let text =
        user.map { context.mail(of: $0, at: attribute, isLink: true) }
        ?? attribute.value(in: object)?.stringValue
      let address = text.flatMap { MailAddress($0) }
      // A person who comes back has shown that the mail is theirs. Without an account, an id of the same length is stored, so that nothing
      // differs.
      if looksUp { context.notes["account"] = .string(user?.id ?? services.uuid()) }
      context.notes["address"] = .string(address?.text ?? "nobody@example.com")
      var mail: MailMessage?
      if let address, let template, user?.isActive ?? !looksUp {
        mail = template.message(
          to: address, object: object, link: link.address, username: user?.username,
          locales: context.request.locales, mail: services.mail)
        mail?.link = MailMessage.LinkFacts(
          purpose: [context.request.realm, context.journey, context.nodeID].joined(separator: "\n"),
          requester: context.request.clientAddress)
      } else {
        context.logReason("no mail was sent: there is no active account, no mail address, or no template")
      }
      return .suspend(
        Suspension(link: link, message: message.text(for: context.request.locales)) { [mail] in
          if let mail { services.mail.send(mail) }
          try await services.evenAnswer.wait(since: start)
        })
    }
  }

  /// Sends the account's own address a mail from a template, and continues at once.
  ///
  /// `EMAIL_NOT_SENT` means that there is no such template, or that a person whom the journey has verified has no address. For anybody else
  /// the node takes `EMAIL_SENT`, because the outcome would tell which names exist.
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

  /// The result of looking up an e-mail template in the journey's file.
  enum FoundTemplate {
    case template(MailTemplate)
    case missing, switchedOff, unreadable
  }

  /// - Parameter remedy: what is done instead of one that cannot be read.
  func mailTemplate(_ name: String, instead remedy: String) -> FoundTemplate {
    let templates = attachments.emailTemplates
    guard let object = templates[name] ?? templates["emailTemplate/\(name)"] else { return .missing }
    do throws(NodeError) {
      return try MailTemplate(object).map { .template($0) } ?? .switchedOff
    } catch {
      repaired(
        "emailTemplateName", "names the template \(name.quoted), which \(error)", instead: remedy)
      return .unreadable
    }
  }
}

extension NodeServices {
  /// Continues the journey after the reader of the mail has come back by its link.
  fileprivate func resumed(
    _ context: inout NodeContext, looksUp: Bool, at attribute: JSONPointer
  ) async throws -> NodeResult {
    let address = context.notes["address"]?.stringValue
    guard let id = context.notes["account"]?.stringValue,
      let user = try await store.user(id: id, realm: context.request.realm), user.isActive
    else {
      if !looksUp, let address { context.state.noteProvenMail(address) }
      return .outcome("outcome")
    }
    if let address {
      let present = context.mail(of: user, at: attribute, isLink: true)
      guard present.map({ MailState.key($0) }) == MailState.key(address) else {
        throw NodeError("the account's mail no longer goes to the address that the link was sent to")
      }
      context.state.noteProvenMail(address)
      try await accounts.confirmMail(address, id: id, realm: user.realm, by: context.actor)
    }
    // The account was found by what was typed, and its mail now proves whose it is.
    if context.state.username == nil { context.state.username = user.username }
    if context.state.username?.lowercased() == user.username.lowercased() {
      context.state.noteAccount(user.id)
      context.state.noteAuthentication(at: clock(), by: "mail")
    }
    return .outcome("outcome")
  }
}
