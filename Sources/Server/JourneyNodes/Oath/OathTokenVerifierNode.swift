internal import Foundation
internal import JourneyEngine
internal import JourneyStore
internal import OATH
internal import StrictJSON

/// Asks for a one-time code of the user's authenticator. Accepting a code also invalidates all earlier ones.
///
/// A user without a stored authenticator, for whom an OATH Registration node left one in state, proves the first code of that one.
struct OathTokenVerifierNode: JourneyNode {
  let outcomes: [String]
  let stateInputs = [StateKey.username]
  private let services: NodeServices
  private let check: OathCheck
  private let allowsRecoveryCodes: Bool

  /// Longest text that is accepted as a code, in bytes.
  private static let maximumBytes = 64

  /// The button's place among the callbacks, and the choice that means the recovery code.
  private static let buttonPlace = 1
  private static let recoveryChoice: Int64 = 1

  init(_ definition: NodeDefinition, services: NodeServices) throws(JourneyFileError) {
    self.services = services
    check = try OathCheck(definition)
    allowsRecoveryCodes = try definition.flag("isRecoveryCodeAllowed", default: false, instead: false)
    outcomes =
      ["successOutcome", "failureOutcome", "notRegisteredOutcome"]
      + (allowsRecoveryCodes ? ["recoveryCodeOutcome"] : [])
  }

  func evaluate(_ context: inout NodeContext) async throws -> NodeResult {
    // An unknown or inactive account looks like one without devices.
    guard let user = try await services.user(in: &context), user.isActive else {
      return notRegistered(in: &context)
    }
    let devices = try await services.store.oathDevices.all(of: user.account)
    let draft = devices.isEmpty ? OathDraft(in: context.state, of: user) : nil
    guard !devices.isEmpty || draft != nil else { return notRegistered(in: &context) }
    guard let reply = context.reply else { return .callbacks(callbacks) }
    if allowsRecoveryCodes, reply.chosen(at: Self.buttonPlace) == Self.recoveryChoice {
      return .outcome("recoveryCodeOutcome")
    }
    let text = reply.text() ?? ""
    let code = text.filter { !$0.isWhitespace }
    guard !code.isEmpty else { return .callbacks(callbacks) }
    let entered = text.utf8.count <= Self.maximumBytes ? code : ""
    let lock = services.lock(.authenticatorCodes, of: user, in: context.request)
    // While a lock lasts nobody learns whether a code is right, and nothing is counted.
    guard try await !lock.isLocked() else { return failed(Self.locked, in: &context) }
    let eligible = (draft.map { [$0.device] } ?? devices).filter(check.accepts)
    guard !eligible.isEmpty else {
      return failed(
        "the authenticator was registered with another algorithm, interval or hash than this node has",
        in: &context)
    }
    let accepted =
      if let draft {
        prove(draft, by: entered, user, in: &context)
      } else {
        try await accept(entered, user, eligible, lock.scope, in: &context)
      }
    if let accepted { return accepted }
    try await lock.countFailure()
    return failed(
      draft == nil
        ? "the one-time code is wrong or used" : "the first code of the new authenticator is wrong",
      in: &context)
  }

  /// Decides about the first code of an authenticator that is not stored yet; `nil` when it is wrong.
  ///
  /// The code proves that the authenticator works and nothing about the account: the person who registers has chosen its secret. So it
  /// neither clears failures nor proves the person. A wrong code counts like any other.
  private func prove(
    _ draft: OathDraft, by code: String, _ user: UserRecord, in context: inout NodeContext
  ) -> NodeResult? {
    var draft = draft
    defer { draft.keep(in: &context.state) }
    switch check.verdict(on: code, draft.device, now: services.clock()) {
    case .right(let factor, let drift) where draft.accept(factor: factor, drift: drift):
      context.state.username = user.username
      return .outcome("successOutcome")
    case .outOfStep(let steps):
      context.logReason("the clock of the new authenticator is off by \(steps) time steps, more than allowed")
    case .right, .wrong: break
    }
    draft.wrongCodes += 1
    return nil
  }

  private static let locked = "the account or its codes are locked after too many failures"

  /// The outcome when `code` is the next one of a device, or a lock began meanwhile; `nil` when it is wrong.
  private func accept(
    _ code: String, _ user: UserRecord, _ devices: [OathDeviceRecord], _ scope: LockoutScope,
    in context: inout NodeContext
  ) async throws -> NodeResult? {
    let now = services.clock()
    for device in devices {
      switch check.verdict(on: code, device, now: now) {
      case .wrong: continue
      case .outOfStep(let steps):
        context.logReason(
          "the clock of authenticator \(device.uuid) is off by \(steps) time steps, more than allowed")
      case .right(let factor, let drift):
        switch try await services.store.acceptOathCode(
          uuid: device.uuid, of: user.account, device: scope.device, factor: factor, drift: drift, now: now)
        {
        case .accepted:
          context.state.username = user.username
          context.state.noteAuthentication(at: now, by: "one-time-code")
          return .outcome("successOutcome")
        case .locked: return failed(Self.locked, in: &context)
        case .used: context.logReason("the code was used before")
        }
      }
    }
    return nil
  }

  private func failed(_ reason: String, in context: inout NodeContext) -> NodeResult {
    context.outcome("failureOutcome", because: reason)
  }

  private func notRegistered(in context: inout NodeContext) -> NodeResult {
    context.state.shared[PushState.method] = "oath"
    return context.outcome(
      "notRegisteredOutcome", because: "the user has no authenticator for one-time codes")
  }

  private var callbacks: [OutgoingCallback] {
    let options = ["Submit"] + (allowsRecoveryCodes ? ["Use recovery code"] : [])
    return [
      StandardCallback.name(prompt: "Enter verification code"),
      StandardCallback.confirmation(options),
    ]
  }
}

/// Which codes a verifying node takes.
struct OathCheck: Sendable {
  private let factor: OATHProfile.MovingFactor
  private let hash: OATHProfile.Hash

  /// How many counters ahead of the expected one are tried.
  private let counterWindow: UInt64

  /// How many time steps before and after the expected one are tried.
  private let stepWindow: UInt64

  /// The most time steps allowed between the device's clock and ours.
  private let maximumDrift: UInt64

  enum Verdict: Sendable, Hashable {
    case wrong
    case right(factor: UInt64, drift: Int)
    /// Right, but the device's clock is further off than allowed.
    case outOfStep(Int)
  }

  init(_ definition: NodeDefinition) throws(JourneyFileError) {
    factor = try OathProperty.factor(definition)
    hash = try OathProperty.hash(definition)
    counterWindow = UInt64(
      try definition.integer("hotpWindowSize", default: 100, in: 0...999, clamping: .down))
    stepWindow = UInt64(try definition.integer("totpTimeSteps", default: 2, in: 0...100, clamping: .down))
    maximumDrift = UInt64(
      try definition.integer("maximumAllowedClockDrift", default: 5, in: 0...100, clamping: .down))
  }

  /// Whether the device was registered for the kind of codes that the node wants; a weaker kind is not accepted instead.
  func accepts(_ device: OathDeviceRecord) -> Bool {
    device.profile.factor == factor && device.profile.hash == hash
  }

  func verdict(on code: String, _ device: OathDeviceRecord, now: Date) -> Verdict {
    guard let secret = OATHSecret(device.secret.reveal()) else { return .wrong }
    let password = OneTimePassword(secret: secret, profile: device.profile)
    guard case .time = factor else {
      let (last, overflow) = device.nextFactor.addingReportingOverflow(counterWindow)
      guard !overflow else { return .wrong }
      let found = password.match(code, in: device.nextFactor...last, nearest: device.nextFactor)
      return found.map { .right(factor: $0, drift: 0) } ?? .wrong
    }
    guard let step = factor.step(at: now.timeIntervalSince1970), step < UInt64(Int32.max) << 8 else {
      return .wrong
    }
    // The step of the device's clock, by its drift at the last use.
    let here = Int64(step)
    let center = max(0, here + Int64(device.drift))
    let first = UInt64(max(0, center - Int64(stepWindow)))
    guard
      let found = password.match(code, in: first...UInt64(center) + stepWindow, nearest: UInt64(center))
    else { return .wrong }
    let drift = Int64(found) - here
    guard drift.magnitude <= maximumDrift else { return .outOfStep(Int(drift)) }
    return .right(factor: found, drift: Int(drift))
  }
}
