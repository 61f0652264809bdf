internal import Accounts
internal import Bytes
internal import JourneyEngine
internal import JourneyStore
internal import MailService
internal import QueryFilters
internal import StrictJSON

extension NodeDefinition {
  /// Makes a one-time code (HOTP Generator), which a later node sends and another one checks. It never leaves the journey's sealed state by
  /// itself.
  func oneTimePasswordGeneratorNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let length = try integer("length", default: 8, in: 6...16, clamping: .up)
    return PlainNode(stateOutputs: [StateKey.oneTimePassword]) { context in
      services.makeCode(of: length, in: &context.state)
      return .outcome("outcome")
    }
  }

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
      guard var code = context.state.transient[StateKey.oneTimePassword]?.stringValue else {
        throw NodeError("there is no one-time code; put a OneTimePasswordGeneratorNode before this node")
      }
      guard let user = try await services.identity(in: &context, by: ManagedAttribute.userName),
        user.isActive, let recipient = context.mail(of: user, at: attribute).flatMap({ MailAddress($0) })
      else {
        return context.outcome(
          "outcome", because: "no code was sent: there is no account with a mail address")
      }
      // Whoever got a code for one account must not know the code for another.
      if let earlier = context.state.codeAccount, earlier != user.id {
        code = services.makeCode(of: code.utf8.count, in: &context.state)
      }
      context.state.codeAccount = user.id
      let locales = context.request.locales
      services.mail.send(
        MailMessage(
          from: from ?? services.mail.sender, senderName: from == nil ? services.mail.senderName : "",
          to: recipient, subject: subject.text(for: locales).replacing("{{OTP}}", with: code),
          text: content.text(for: locales).replacing("{{OTP}}", with: code)))
      return .outcome("outcome")
    }
  }

  /// Asks for the one-time code, and compares it with the one that was made for this journey. The fifth wrong answer makes the code
  /// invalid.
  func oneTimePasswordCollectorDecisionNode(_ services: NodeServices) throws(JourneyFileError) -> PlainNode {
    let minutes = Int64(try integer("passwordExpiryTime", default: 5, in: 1...1440, clamping: .down))
    // Wrong answers after which the code is invalid.
    let mostTries: Int64 = 5
    return PlainNode(outcomes: ["true", "false"], stateInputs: [StateKey.oneTimePassword]) { context in
      guard let entered = context.reply?.text(), !entered.isEmpty, entered.utf8.count <= 64 else {
        return .callbacks([StandardCallback.password(prompt: "One Time Password")])
      }
      guard let code = context.state.transient[StateKey.oneTimePassword]?.stringValue,
        let moment = context.state.transient[StateKey.oneTimePasswordTime]?.integerValue
      else { return context.outcome("false", because: "no code was made in this journey") }
      // The account that the sender has mailed, which the journey need not have named by then.
      let user = try await services.identity(in: &context, by: ManagedAttribute.userName)
      let isRight =
        ConstantTime.areEqual(Array(entered.utf8), Array(code.utf8))
        && context.state.codeAccount.map { $0 == user?.id } ?? true
      let now = services.clock().millisecondsSince1970
      let isFresh = (now - minutes * 60_000...now).contains(moment)
      if isRight, !isFresh { return context.outcome("false", because: "the code has expired") }
      if let name = context.state.username ?? user?.username {
        let lock = try await services.lock(.mailedCodes, of: name, in: context.request)
        guard try await lock.settle(isRight: isRight) else {
          return context.outcome("false", because: "the account is locked after too many failures")
        }
      }
      guard isRight else {
        let tries =
          min(mostTries, context.state.transient[StateKey.oneTimePasswordTries]?.integerValue ?? 0) + 1
        context.state.transient[StateKey.oneTimePasswordTries] = .integer(tries)
        if tries >= mostTries { context.state.transient[StateKey.oneTimePassword] = nil }
        return context.outcome("false", because: "the code is wrong")
      }
      context.state.transient[StateKey.oneTimePassword] = nil
      context.state.transient[StateKey.oneTimePasswordTime] = nil
      if context.state.username != nil {
        context.state.noteAuthentication(at: services.clock(), by: "one-time-code")
      }
      return .outcome("true")
    }
  }
}

extension NodeServices {
  /// Makes a new code, which no account has been sent yet.
  @discardableResult
  fileprivate func makeCode(of length: Int, in state: inout JourneyState) -> String {
    var digits = ""
    while digits.utf8.count < length {
      // 250 is a multiple of 10, so that no digit is more likely than another.
      for byte in randomBytes(length) where byte < 250 && digits.utf8.count < length {
        digits += String(byte % 10)
      }
    }
    state.transient[StateKey.oneTimePassword] = .string(digits)
    state.transient[StateKey.oneTimePasswordTime] = .integer(clock().millisecondsSince1970)
    state.transient[StateKey.oneTimePasswordTries] = nil
    state.codeAccount = nil
    return digits
  }
}

extension JourneyState {
  private static let codeAccountKey = "oneTimePasswordAccount"

  /// The id of the account whose address the one-time code was sent to; `nil` when no sender of this server has sent it.
  fileprivate var codeAccount: String? {
    get { secure[Self.codeAccountKey]?.stringValue }
    set { secure[Self.codeAccountKey] = newValue.map { .string($0) } }
  }
}
