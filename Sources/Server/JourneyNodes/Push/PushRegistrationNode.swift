internal import Accounts
internal import BindingFormats
internal import Bytes
internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import PushFormats
internal import PushService
internal import StrictJSON

/// Registers a device for push: shows the enrolment URI, waits until a device has answered it, and ends the registration.
///
/// With `oath` it is the Combined MFA Registration node: one QR code for push and one-time codes (reference push §7.3). Both profiles are
/// stored when the device answers, or neither.
struct PushRegistrationNode: JourneyNode {
  let outcomes = ["successOutcome", "failureOutcome", "timeoutOutcome"]
  let stateInputs = [StateKey.username]
  let stateOutputs = [RecoveryCodeState.codes]

  private let services: NodeServices
  private let settings: EnrolmentSettings

  /// The one-time codes that the device registers, too; stored together with the push device.
  private let oath: OathRegistration?

  /// Seconds that the device has to answer.
  private let timeout: Int

  /// Whether a user may have several devices (ours). Otherwise a user with one device gets no second one here.
  private let allowsSeveral: Bool

  /// Most devices of one user when several are allowed.
  private static let maximumDevices = 20
  private static let pollMilliseconds = 2000

  init(
    _ definition: NodeDefinition, services: NodeServices, oath: OathRegistration? = nil
  ) throws(JourneyFileError) {
    self.services = try services.addingFactors(definition)
    self.oath = oath
    settings = try EnrolmentSettings(definition)
    timeout = try definition.timeLimit() ?? NodeDefinition.longestTimeLimit
    allowsSeveral = try definition.flag("allowMultipleDevices", default: false, instead: false)
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    let user = try await services.activeUser(in: &context, to: "register a push device for")
    guard let id = context.state.shared[PushState.messageID]?.stringValue,
      let uri = context.state.transient[PushState.registrationURI]?.stringValue,
      let end = context.state.shared[PushState.registrationEnd]?.integerValue
    else { return try await begin(user, in: &context) }
    if let message = try await services.store.pushMessage(id: id, realm: user.realm),
      message.state == .pending, services.clock().millisecondsSince1970 < end
    {
      return callbacks(uri, end, context)
    }
    return try await self.end(id, of: user, in: &context)
  }

  // MARK: Begin

  private func begin(_ user: UserRecord, in context: inout NodeContext) async throws -> NodeResult {
    let devices = try await services.store.pushDevices.all(of: user.account)
    // The limit is enforced when the device answers; checking here only spares the person the QR code.
    guard devices.isEmpty || allowsSeveral && oath == nil else { return .outcome("successOutcome") }
    if let oath, try await oath.isRegistered(user) { return .outcome("successOutcome") }
    guard context.state[PushState.messageID] == nil else {
      throw NodeError("a push message is under way in this journey; let a Push Result Verifier node end it")
    }
    guard !context.request.baseURL.isEmpty else {
      throw NodeError("the server does not know the address under which devices reach it; set its public URL")
    }
    let permission = try await services.factorPermission(for: user, context)
    let (record, uri) = try enrolment(of: user, context.request, permission)
    // Stored before the code is shown, so that every code shown is valid.
    try await services.store.openPushEnrolment(record, id: user.id)
    context.state.shared[PushState.messageID] = .string(record.id)
    context.state.shared[PushState.registrationEnd] = .integer(record.expiresAt.millisecondsSince1970)
    context.state.transient[PushState.registrationURI] = .string(uri)
    return callbacks(uri, record.expiresAt.millisecondsSince1970, context)
  }

  /// A new enrolment, and the URI that carries it to the device.
  private func enrolment(
    of user: UserRecord, _ request: RequestFacts, _ permission: FactorChangeCheck.Permission
  ) throws -> (record: PushMessageRecord, uri: String) {
    let random = PushRandom(randomBytes: services.randomBytes)
    let now = services.clock()
    let oathDevice = try oath?.device(of: user)
    let uuid = services.deviceUUID(at: now)
    let (challenge, secret) = (random.secret(), random.secret())
    var enrolment = PushMessageRecord.Enrolment(
      uuid: uuid, issuer: settings.issuer, sharedSecret: secret,
      deviceLimit: allowsSeveral && oath == nil ? Self.maximumDevices : 1, oath: oathDevice)
    enrolment.onlyAsFirstFactor = permission == .onlyAsFirstFactor
    let record = PushMessageRecord(
      id: services.pushMessageID(.register, at: now), realm: user.realm, username: user.username,
      kind: .registration, challenge: challenge,
      enrolment: enrolment, sentAt: now, expiresAt: now.addingTimeInterval(TimeInterval(timeout)))
    let extra = try oathDevice.flatMap { device in
      try oath?.combinedParameters(device, imageURL: settings.imageURL)
    }
    do throws(PushFormatError) {
      let realm = RealmPath(request.realm).inShortPath
      let endpoint = try PushServerURL("\(request.baseURL)/json\(realm)/push/sns/message")
      var uri = PushEnrolmentURI(
        issuer: settings.issuer, accountName: settings.name(of: user),
        registrationURL: try PushServerURL(endpoint.with(action: "register")),
        authenticationURL: try PushServerURL(endpoint.with(action: "authenticate")),
        secret: try PushSecret(secret.reveal()), challenge: try PushChallenge(challenge.reveal()),
        loadBalancer: PushMessage.noLoadBalancer, messageID: record.id, userID: user.username,
        resourceID: uuid, backgroundColor: settings.backgroundColor)
      // A combined enrolment has its image, plain, among the parameters of the one-time code.
      if extra == nil, !settings.imageURL.isEmpty { uri.imageURL = settings.imageURL }
      return (record, uri.uri(combinedWith: extra))
    } catch { throw NodeError("the enrolment address cannot be made: \(error)") }
  }

  private func callbacks(_ uri: String, _ end: Int64, _ context: NodeContext) -> NodeResult {
    // Seconds left rather than a time, because the client's clock may differ.
    let secondsLeft = max(0, (end - services.clock().millisecondsSince1970) / 1000)
    return .callbacks(
      settings.callbacks(uri, context.request)
        + [
          StandardCallback.polling(milliseconds: Self.pollMilliseconds, message: ""),
          // This callback is ours and comes last, so that clients that know PingAM's callbacks by their places find them there.
          StandardCallback.hidden(id: "mfaDeviceRegistrationSecondsLeft", value: String(secondsLeft)),
        ])
  }

  // MARK: End

  private func end(
    _ id: String, of user: UserRecord, in context: inout NodeContext
  ) async throws -> NodeResult {
    // Only the caller that removed the message acts on it; after this no device can answer any more.
    let message = try await services.store.removePushMessage(id: id, realm: user.realm)
    PushState.clearMessage(&context.state)
    context.state.shared[PushState.registrationEnd] = nil
    context.state.transient[PushState.registrationURI] = nil
    guard let message, message.state == .approved else {
      return context.outcome("timeoutOutcome", because: "no device answered the registration in time")
    }
    guard message.username == user.username else {
      throw NodeError("the registration was begun for another user than the journey has now")
    }
    _ = try await services.store.pushDevices.set(.notSkippable, of: user.account)
    if oath != nil {
      _ = try await services.store.oathDevices.set(.notSkippable, of: user.account)
    }
    if settings.generatesCodes {
      try await RecoveryCodes(services: services).replace(
        kinds: oath == nil ? ["PUSH"] : ["PUSH", "OATH"], of: user, device: "Push Device", in: &context.state)
    }
    return .outcome("successOutcome")
  }
}
