internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import PushFormats
internal import StrictJSON

/// What the nodes that register devices have in common: their properties, the enrolment URI, and how long they wait for the
/// device's answer.
struct PushEnrolment: Sendable {
  let services: NodeServices
  let issuer: String
  private let accountName: AccountNameSource
  let backgroundColor: String
  let imageURL: String
  let generatesCodes: Bool
  let scanMessage: LocalizedText

  /// Seconds that the device has to answer.
  private let timeout: Int

  /// Ours: a user may have several devices. Without it, a user with one gets no second one here.
  private let allowsSeveral: Bool

  /// Most devices of one user when several are allowed.
  private static let maximumDevices = 20
  private static let pollMilliseconds = 2000

  enum AccountNameSource: String, CaseIterable, Sendable {
    case commonName = "COMMON_NAME"
    case mail = "EMAIL_ADDRESS"
    case employeeNumber = "EMPLOYEE_NUMBER"
    case givenName = "GIVEN_NAME"
    case lastName = "LAST_NAME"
    case username = "USERNAME"
  }

  static let outcomes = ["successOutcome", "failureOutcome", "timeoutOutcome"]

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    issuer = try definition.string("issuer", default: "ForgeRock")
    guard !issuer.isEmpty, issuer.utf8.count <= 128 else {
      throw definition.wrong("issuer", "must have 1 to 128 bytes")
    }
    guard let source = AccountNameSource(rawValue: try definition.string("accountName", default: "USERNAME"))
    else {
      throw definition.wrong(
        "accountName", "must be one of \(AccountNameSource.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    accountName = source
    let color = try definition.string("bgColor", default: "032b75")
    backgroundColor = color.hasPrefix("#") ? String(color.dropFirst()) : color
    guard backgroundColor.utf8.count <= 8, backgroundColor.allSatisfy(\.isHexDigit) else {
      throw definition.wrong("bgColor", "must be a colour in hexadecimal digits, such as 032b75")
    }
    imageURL = try definition.string("imgUrl")
    guard imageURL.utf8.count <= 1024 else {
      throw definition.wrong("imgUrl", "must have at most 1024 bytes")
    }
    generatesCodes = try definition.flag("generateRecoveryCodes", default: true)
    scanMessage = try definition.localized(
      "scanQRCodeMessage", builtIn: "Scan the QR code with your authenticator app to register this device.")
    timeout = try definition.integer("timeout", default: 60, in: 1...3600)
    allowsSeveral = try definition.flag("allowMultipleDevices", default: false)
  }

  /// One evaluation of a registering node.
  ///
  /// - Parameters:
  ///   - start: the URI's scheme and host: `pushauth://push`, `mfauth://totp` or `mfauth://hotp`.
  ///   - oath: what else the device is to make; it is stored together with the push device.
  func evaluate(
    _ context: inout NodeContext, start: String, oath: OathHalf? = nil
  ) async throws -> NodeResult {
    let username = try context.requiredUsername()
    guard let user = try await services.store.user(named: username, realm: context.request.realm),
      user.isActive
    else {
      throw NodeError(
        "there is no active user \(JSONValue.string(username).text) to register a push device for")
    }
    guard let id = context.state.shared[PushState.messageID]?.stringValue,
      let uri = context.state.transient[PushState.registrationURI]?.stringValue,
      let end = context.state.shared[PushState.registrationEnd]?.integerValue
    else { return try await begin(user, &context, start: start, oath: oath) }
    if let message = try await services.store.pushMessage(id: id, realm: user.realm),
      message.state == .pending, services.clock().milliseconds < end
    {
      return callbacks(uri, context)
    }
    // Whoever takes it away alone acts on it; after this no device can answer any more.
    let message = try await services.store.removePushMessage(id: id, realm: user.realm)
    PushState.clearMessage(&context.state)
    context.state.shared[PushState.registrationEnd] = nil
    context.state.transient[PushState.registrationURI] = nil
    guard let message, message.state == .approved else {
      context.remark("no device answered the registration in time")
      return .outcome("timeoutOutcome")
    }
    guard message.username == user.username else {
      throw NodeError("the registration was begun for another user than the journey has now")
    }
    _ = try await services.store.pushDevices.set(.notSkippable, of: user.account)
    if oath != nil {
      _ = try await services.store.oathDevices.set(
        .notSkippable, of: user.account)
    }
    if generatesCodes {
      try await RecoveryCodes(services: services).replace(
        kinds: oath == nil ? ["PUSH"] : ["PUSH", "OATH"], of: user, device: "Push Device", in: &context.state)
    }
    return .outcome("successOutcome")
  }

  private func begin(
    _ user: UserRecord, _ context: inout NodeContext, start: String, oath: OathHalf?
  ) async throws -> NodeResult {
    guard context.state[PushState.messageID] == nil else {
      throw NodeError("a push message is under way in this journey; let a Push Result Verifier node end it")
    }
    let devices = try await services.store.pushDevices.all(of: user.account)
    // The limit decides when the device answers; asking here only spares the person the QR code.
    guard devices.isEmpty || allowsSeveral && oath == nil else { return .outcome("successOutcome") }
    if let oath, try await oath.isRegistered(user) { return .outcome("successOutcome") }
    guard !context.request.baseURL.isEmpty else {
      throw NodeError("the server does not know the address under which devices reach it; set its public URL")
    }
    let permission = try await services.factorPermission(for: user, context)
    let random = PushRandom(randomBytes: services.randomBytes)
    let now = services.clock()
    let oathDevice = try oath?.device(of: user)
    var record = PushMessageRecord(
      id: PushMessageID(.register, uuid: random.uuid(), milliseconds: now.milliseconds).text,
      realm: user.realm, username: user.username, kind: .registration,
      challenge: random.secret(),
      enrolment: .init(
        uuid: random.uuid() + String(now.milliseconds), issuer: issuer, sharedSecret: random.secret(),
        deviceLimit: allowsSeveral && oath == nil ? Self.maximumDevices : 1, oath: oathDevice),
      sentAt: now, expiresAt: now.addingTimeInterval(TimeInterval(timeout)))
    record.enrolment?.onlyAsFirstFactor = permission == .onlyAsFirstFactor
    let extra = try oathDevice.map { try oath?.parameters($0, imageURL: imageURL) ?? [] } ?? []
    let uri: String
    do throws(PushFormatError) {
      uri = try self.uri(record, user: user, context.request, start: start, extra: extra)
    } catch { throw NodeError("the enrolment address cannot be made: \(error)") }
    // Stored before anybody sees the code, so that no dead one is shown.
    try await services.store.openPushEnrolment(record)
    context.state.shared[PushState.messageID] = .string(record.id)
    context.state.shared[PushState.registrationEnd] = .integer(record.expiresAt.milliseconds)
    context.state.transient[PushState.registrationURI] = .string(uri)
    return callbacks(uri, context)
  }

  private func callbacks(_ uri: String, _ context: NodeContext) -> NodeResult {
    .callbacks([
      WaitingCallback.text(scanMessage.text(for: context.request.locales)),
      WaitingCallback.text(Self.script(uri), type: 4),
      WaitingCallback.hidden(id: "mfaDeviceRegistration", value: uri),
      WaitingCallback.polling(milliseconds: Self.pollMilliseconds, message: ""),
    ])
  }

  /// Draws the QR code in pages that have PingAM's reader library; other clients take the hidden value.
  static func script(_ uri: String) -> String {
    "window.QRCodeReader.createCode({ id: 'callback_0', text: "
      + JSONValue.string(uri).text.replacing("<", with: "\\u003c") + ", version: '20', code: 'L' });"
  }

  // MARK: The URI

  /// The enrolment URI (reference push §1.2). What `extra` names takes the place of our own value.
  private func uri(
    _ record: PushMessageRecord, user: UserRecord, _ request: RequestFacts, start: String,
    extra: [(String, String)]
  ) throws(PushFormatError) -> String {
    let realm = request.realm == "root" ? "" : "/\(Self.escaped(request.realm))"
    let endpoint = try PushServerURL("\(request.baseURL)/json\(realm)/push/sns/message")
    let names = Set(extra.map { $0.0 })
    let enrolment = PushFormats.PushEnrolment(
      issuer: issuer, accountName: name(of: user),
      registrationURL: try PushServerURL(endpoint.with(action: "register")),
      authenticationURL: try PushServerURL(endpoint.with(action: "authenticate")),
      secret: try PushSecret(record.enrolment?.sharedSecret.reveal() ?? []),
      challenge: try PushChallenge(record.challenge.reveal()), loadBalancer: PushMessage.noLoadBalancer,
      messageID: record.id, userID: user.username, resourceID: record.enrolment?.uuid,
      imageURL: imageURL.isEmpty || names.contains("image") ? nil : imageURL,
      backgroundColor: names.contains("b") ? nil : backgroundColor)
    let combined = "mfauth://"
    guard start.hasPrefix(combined) else { return enrolment.uri() }
    return enrolment.uri(combinedWith: (host: String(start.dropFirst(combined.count)), parameters: extra))
  }

  func name(of user: UserRecord) -> String {
    let attribute: String? =
      switch accountName {
      case .username: nil
      case .mail: user.mail.first
      case .commonName: user.attribute("cn")
      case .employeeNumber: user.attribute("employeeNumber")
      case .givenName: user.attribute("givenName")
      case .lastName: user.attribute("sn")
      }
    return attribute.flatMap { $0.isEmpty ? nil : $0 } ?? user.username
  }

  /// Everything but RFC 3986's unreserved characters, percent-encoded.
  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}

extension UserRecord {
  /// An attribute's text, or the first of several.
  fileprivate func attribute(_ name: String) -> String? {
    attributes[name]?.stringValue ?? attributes[name]?.arrayValue?.first?.stringValue
  }
}
