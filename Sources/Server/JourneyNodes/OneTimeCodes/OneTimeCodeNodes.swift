internal import Accounts
internal import Bytes
internal import Crypto
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
      // A script may send it to the account that the journey has by now. Other journeys name the account later.
      try await services.bindCode(in: &context)
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
        user.isActive, let address = context.mail(of: user, at: attribute),
        let recipient = MailAddress(address)
      else {
        context.state.codeRecipient.mail = CodeRecipient.Mail(attribute, "")
        return context.outcome(
          "outcome", because: "no code was sent: there is no account with a mail address")
      }
      // Whoever got a code for one account must not know the code for another.
      if let earlier = context.state.codeRecipient.account, earlier != user.id {
        code = services.makeCode(of: code.utf8.count, in: &context.state)
      }
      context.state.codeRecipient = CodeRecipient(
        account: user.id, mail: CodeRecipient.Mail(attribute, address))
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
        // Whoever is asked may have been sent the code, so it is good for no other account from now on.
        try await services.bindCode(in: &context)
        return .callbacks([StandardCallback.password(prompt: "One Time Password")])
      }
      guard let code = context.state.transient[StateKey.oneTimePassword]?.stringValue,
        let moment = context.state.transient[StateKey.oneTimePasswordTime]?.integerValue
      else { return context.outcome("false", because: "no code was made in this journey") }
      // The account that the sender has mailed, which the journey need not have named by then.
      let user = try await services.identity(in: &context, by: ManagedAttribute.userName)
      let isRight =
        ConstantTime.areEqual(Array(entered.utf8), Array(code.utf8))
        && context.isCode(for: user)
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
    state.codeRecipient = CodeRecipient()
    return digits
  }

  /// Binds the code to the account that the journey has, if there is one and the code is not bound yet.
  fileprivate func bindCode(in context: inout NodeContext) async throws {
    guard context.state.codeRecipient.account == nil else { return }
    context.state.codeRecipient.account =
      try await identity(in: &context, by: ManagedAttribute.userName)?.id
  }
}

/// Whom a one-time code is for.
private struct CodeRecipient {
  /// The account's id; `nil` while the journey has no account.
  var account: String?

  /// `nil` when no sender of this server has mailed the code.
  var mail: Mail?

  /// Where the code was mailed.
  struct Mail {
    let attribute: JSONPointer
    private let digest: String

    /// - Parameter address: empty when there was none, and the code was not mailed.
    init(_ attribute: JSONPointer, _ address: String) {
      (self.attribute, digest) = (attribute, Self.digest(of: address))
    }

    private static func digest(of address: String) -> String {
      Base64URL.encode(Array(SHA256.hash(data: Array(MailState.key(address).utf8))))
    }

    /// Whether the code was mailed to this address, or to none.
    func went(to address: String?) -> Bool {
      [address.map(Self.digest), Self.digest(of: "")].contains(digest)
    }

    var json: JSONValue { ["attribute": .string(attribute.text), "address": .string(digest)] }

    init?(_ json: JSONValue) {
      guard let digest = json["address"]?.stringValue,
        let attribute = json["attribute"]?.stringValue.flatMap({ JSONPointer($0) })
      else { return nil }
      (self.attribute, self.digest) = (attribute, digest)
    }
  }
}

extension NodeContext {
  /// Whether the one-time code is for `user`, or for no account, and the account's mail still goes where the code went.
  fileprivate func isCode(for user: UserRecord?) -> Bool {
    let recipient = state.codeRecipient
    guard let account = recipient.account else { return true }
    guard let user, user.id == account else { return false }
    return recipient.mail.map { $0.went(to: mail(of: user, at: $0.attribute)) } ?? true
  }
}

extension JourneyState {
  private static let recipientKey = "oneTimePasswordRecipient"

  /// In the form that is sealed, accounts and addresses that do not exist take as much room as others, because the length of an `authId` is not
  /// hidden.
  fileprivate var codeRecipient: CodeRecipient {
    get {
      let stored = secure[Self.recipientKey]
      return CodeRecipient(
        account: stored?["account"]?.stringValue.flatMap { $0 == Self.noAccount ? nil : $0 },
        mail: stored?["mail"].flatMap { CodeRecipient.Mail($0) })
    }
    set {
      var stored: JSONObject = ["account": .string(newValue.account ?? Self.noAccount)]
      stored["mail"] = newValue.mail?.json
      secure[Self.recipientKey] = .object(stored)
    }
  }
}
