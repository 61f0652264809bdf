internal import Bytes
internal import CBOR
internal import Concurrency
internal import Crypto
internal import CTAP
package import DeviceKeys
package import Foundation
package import PersonPrompts
package import WebAuthnAuthenticator

/// This device as a security key for other programs (CTAP 2.1). Its passkeys have a key store of their own, and no program gets a signature
/// that a person was not asked about.
///
/// It does not know which program asks, because the kernel does not tell a virtual device. Every question therefore names the relying
/// party, which the program states and a browser checks. No program is trusted more than another.
package actor CTAPAuthenticator {
  /// How long an enumeration and further assertions are remembered.
  static let memory = Duration.seconds(30)
  /// How long after the start `reset` is accepted (§6.6).
  static let resetTime = Duration.seconds(10)
  /// How many wrong PINs in a row are accepted until the next start, whatever the store would still accept (§6.5.5.7).
  static let mismatches = 3
  /// The largest number of discoverable passkeys.
  static let capacity = 200

  let keyStore: any DeviceKeyStore
  let credentials: CredentialStore
  let authenticator: Authenticator
  let pin: ClientPINKey
  let log: @Sendable (String) -> Void
  let randomBytes: @Sendable (Int) -> [UInt8]
  let elapsed: @Sendable () -> Duration
  let prompt: any PersonPrompt
  let fingers: SecurityKeyFingers?
  private let questionTime: TimeInterval
  private let clock: @Sendable () -> Date
  private let requests = AsyncMutex()
  private nonisolated let asking = Locked(false)

  var agreementKey = P256.KeyAgreement.PrivateKey()
  var token: VerificationToken?
  var wrongInARow = 0
  var unknownInARow = 0
  /// The last known standing of the enrolled fingers, and when it expires.
  var knownStanding: (standing: SecurityKeyFingers.Standing, end: Duration)?
  private var refusals = RefusalPause()
  /// The errors of unreadable passkeys that were logged already.
  private var reportedFaults: Set<DeviceKeyError> = []
  /// Assertions, relying parties or credentials that the channel that began may ask for next.
  var pending: Pending?

  /// What a channel may ask for next, and until when.
  struct Pending {
    enum Rest {
      case assertions(NextAssertions)
      case relyingParties([String])
      case credentials([PublicKeyCredentialSource])
    }

    let rest: Rest
    let channel: UInt32
    let end: Duration
  }

  func remember(_ rest: Pending.Rest, on channel: UInt32) {
    pending = Pending(rest: rest, channel: channel, end: elapsed() + Self.memory)
  }

  /// - Parameters:
  ///   - keyStore: The store of the passkeys' keys and the PIN's key, with nothing else in it.
  ///   - credentials: The records of the passkeys, and of no other credentials.
  ///   - prompt: Asks the person.
  ///   - fingers: Recognises the person in place of the PIN; `nil` for the PIN only.
  ///   - questionTime: How long a question waits for its answer. Seconds.
  ///   - elapsed: The time since any fixed moment. The first value counts as the start.
  ///   - log: Receives one line for each action that was done or refused.
  package init(
    keyStore: any DeviceKeyStore, credentials: CredentialStore, prompt: any PersonPrompt,
    fingers: SecurityKeyFingers? = nil, questionTime: TimeInterval = 60,
    randomBytes: @escaping @Sendable (Int) -> [UInt8] = SystemRandom.bytes,
    clock: @escaping @Sendable () -> Date = { Date() }, elapsed: (@Sendable () -> Duration)? = nil,
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    (self.keyStore, self.credentials, self.prompt) = (keyStore, credentials, prompt)
    self.fingers = fingers
    (self.questionTime, self.randomBytes, self.clock, self.log) = (questionTime, randomBytes, clock, log)
    let start = ContinuousClock.now
    let time = elapsed ?? { start.duration(to: .now) }
    let first = time()
    self.elapsed = { time() - first }
    authenticator = Authenticator(
      keyStore: keyStore, credentials: credentials, randomBytes: randomBytes, clock: clock)
    pin = ClientPINKey(store: keyStore)
  }

  /// Whether a person is being asked.
  package nonisolated var isAsking: Bool { asking.withLock { $0 } }

  /// The reply to a CTAP2 request. Requests wait for each other; a cancelled task takes its question away.
  package func reply(to request: [UInt8], on channel: UInt32) async -> [UInt8] {
    await requests.withLock { await answer(request, channel) }.bytes
  }

  private func answer(_ bytes: [UInt8], _ channel: UInt32) async -> CTAPReply {
    do {
      try Task.checkCancellation()
      let request = try CTAPRequest(parsing: bytes)
      // A request that is not a continuation ends the pending one.
      let continued = pending.flatMap { $0.channel == channel && elapsed() < $0.end ? $0.rest : nil }
      pending = nil
      switch request {
      case .getInfo: return CTAPReply(try await information())
      case .makeCredential(let request): return CTAPReply(try await makeCredential(request))
      case .getAssertion(let request): return CTAPReply(try await getAssertion(request, on: channel))
      case .getNextAssertion: return CTAPReply(try await nextAssertion(continued, on: channel))
      case .clientPIN(let request): return CTAPReply(try await clientPIN(request))
      case .credentialManagement(let request):
        return CTAPReply(try await manage(request, continued, on: channel))
      case .selection: try await agree(SecurityKeyQuestion(.select))
      case .reset: try await reset()
      }
      return CTAPReply()
    } catch let status as CTAPStatus {
      return CTAPReply(status)
    } catch is CancellationError {
      return CTAPReply(.keepaliveCancel)
    } catch {
      log("Failed: \(error.localizedDescription)")
      return CTAPReply(.other)
    }
  }

  // MARK: The person

  /// Returns when a person agrees.
  ///
  /// - Parameter verifying: Whether they have to be verified, by the PIN or a finger.
  /// - Throws: ``CTAPStatus/operationDenied``, ``CTAPStatus/pinInvalid`` and others of the PIN, `CancellationError`.
  func agree(_ question: SecurityKeyQuestion, verifying: Bool = false) async throws {
    let what = Self.text(question)
    let ways: Ways
    do { ways = verifying ? try await waysToVerify() : Ways() } catch let status as CTAPStatus {
      log("Refused without a question, because nobody can be verified now (\(status)). \(what)")
      throw status
    }
    guard !refusals.isOn(at: elapsed()) else {
      log("Refused without a question, because the last ones were refused. \(what)")
      throw CTAPStatus.operationDenied
    }
    asking.withLock { $0 = true }
    defer { asking.withLock { $0 = false } }
    do {
      log("\(try await agreement(to: question, ways, verifying: verifying)) \(what)")
      refusals.note(agreed: true, at: elapsed())
    } catch {
      // A question that was not agreed to counts as a refusal, whatever ended it.
      refusals.note(agreed: false, at: elapsed())
      throw error
    }
  }

  /// Asks until there is an answer.
  ///
  /// - Returns: How the person agreed, for the log.
  private func agreement(
    to question: SecurityKeyQuestion, _ ways: Ways, verifying: Bool
  ) async throws -> String {
    var question = question
    (question.needsPIN, question.finger) = (ways.needsPIN, ways.finger)
    let what = Self.text(question)
    let end = clock().addingTimeInterval(questionTime)
    while true {
      let answered = await answer(to: question, ways, until: end)
      if Task.isCancelled {
        log("Taken away by the program. \(what)")
        throw CancellationError()
      }
      guard case .person(let answer) = answered else { return "Agreed, with a finger." }
      switch answer {
      case .yes where !question.needsPIN && !verifying, .finger where !question.needsPIN && !verifying:
        return "Agreed."
      case .pin(let entered) where question.needsPIN:
        do {
          try await checkPIN(ClientPINKey.hash(entered))
          trustFingers(ways)
          return "Agreed, with the PIN."
        } catch CTAPStatus.pinInvalid {
          if let block = try await pinBlock() { throw block }
          question.remark = "The PIN is wrong. Tries left: \(try await pinTries())."
        }
      case .nobody(let reason):
        log("Refused, nobody can be asked: \(reason.withoutFullStop). \(what)")
        throw CTAPStatus.operationDenied
      case .no where clock() >= end:
        log("Refused, nobody answered. \(what)")
        throw CTAPStatus.userActionTimeout
      case .no, .yes, .finger, .pin:
        log("Refused. \(what)")
        throw CTAPStatus.operationDenied
      }
    }
  }

  static func text(_ question: SecurityKeyQuestion) -> String {
    let at = question.relyingParty.map { " at \($0)" } ?? ""
    let account = question.account.map { " as \($0)" } ?? ""
    return "\(question.purpose)\(at)\(account)"
  }

  // MARK: Passkeys

  /// The discoverable passkeys, oldest first. One that cannot be read is left out and logged once: neither the others nor deleting all of
  /// them depend on it.
  func kept(relyingPartyID: String? = nil) async throws -> [PublicKeyCredentialSource] {
    try await all(relyingPartyID: relyingPartyID).filter { $0.isDiscoverable && $0.roaming != nil }
  }

  /// All credentials that can be read.
  func all(relyingPartyID: String? = nil) async throws -> [PublicKeyCredentialSource] {
    let (sources, faults) = try await credentials.readable(relyingPartyID: relyingPartyID)
    for fault in faults { report(fault) }
    return sources
  }

  /// The credential of an id; `nil` also for one that cannot be read.
  func credential(_ id: [UInt8], relyingPartyID: String) async throws -> PublicKeyCredentialSource? {
    do { return try await credentials.credential(id, relyingPartyID: relyingPartyID) } catch let fault
      as DeviceKeyError
    {
      guard case .unreadable = fault else { throw fault }
      report(fault)
      return nil
    }
  }

  /// The first credential of a list. Credentials that require verification are found only when the person was verified.
  func first(
    of ids: [[UInt8]], relyingPartyID: String, isVerified: Bool
  ) async throws -> PublicKeyCredentialSource? {
    for id in ids {
      if let found = try await credential(id, relyingPartyID: relyingPartyID),
        let protection = found.roaming?.protection, isVerified || protection != .required
      {
        return found
      }
    }
    return nil
  }

  private func report(_ fault: DeviceKeyError) {
    guard reportedFaults.insert(fault).inserted else { return }
    log("Left out a passkey. \(fault.localizedDescription)")
  }

  // MARK: The PIN

  /// Compares a PIN, and counts a wrong one here and in the store.
  ///
  /// - Throws: ``CTAPStatus/pinAuthBlocked`` after three wrong ones in a row, until the next start.
  func checkPIN(_ hash: [UInt8], changingTo other: [UInt8]? = nil) async throws {
    guard wrongInARow < Self.mismatches else { throw CTAPStatus.pinAuthBlocked }
    do {
      if let other { try await pin.change(from: hash, to: other) } else { try await pin.check(hash) }
      wrongInARow = 0
    } catch CTAPStatus.pinInvalid {
      wrongInARow += 1
      // The next guess needs a new key agreement (§6.5.5.7).
      agreementKey = P256.KeyAgreement.PrivateKey()
      log("Wrong PIN; tries left: \(try await pin.tries).")
      throw wrongInARow < Self.mismatches ? CTAPStatus.pinInvalid : CTAPStatus.pinAuthBlocked
    }
  }

  /// The status that says why no PIN is checked now; `nil` when PINs are checked.
  func pinBlock() async throws -> CTAPStatus? {
    let tries = try await keyStore.pinTries(tag: ClientPINKey.tag)
    // A chip that refuses all PINs for a while has not disabled this one.
    if let tries, tries.left == 0, !tries.isOfChip { return .pinBlocked }
    return wrongInARow >= Self.mismatches || tries?.refusal(ofKey: ClientPINKey.tag) != nil
      ? .pinAuthBlocked : nil
  }

  func pinTries() async throws -> Int {
    min(try await pin.tries, max(0, Self.mismatches - wrongInARow))
  }

  /// Whether the platform proved with its token that the person was verified for this; `false` when it sent no proof.
  ///
  /// - Throws: ``CTAPStatus/pinAuthInvalid``.
  func isVerified(
    _ authorization: CTAPAuthorization?, _ message: [UInt8], for permission: CTAPPermissions,
    relyingPartyID: String? = nil
  ) throws -> Bool {
    guard let authorization else { return false }
    guard let version = authorization.version else { throw CTAPStatus.missingParameter }
    guard let version = PINProtocol(rawValue: version) else { throw CTAPStatus.invalidParameter }
    guard
      token?.isProved(
        by: authorization.parameter, of: message, version: version, for: permission,
        relyingPartyID: relyingPartyID, at: elapsed()) == true
    else { throw CTAPStatus.pinAuthInvalid }
    return true
  }

  /// Answers a platform that asks "is it this key?", which it does by an empty proof (§6.1.2 step 1).
  func answerSelection(_ authorization: CTAPAuthorization?) async throws {
    guard let authorization, authorization.parameter.isEmpty else { return }
    try await agree(SecurityKeyQuestion(.select))
    throw try await pin.isSet ? CTAPStatus.pinInvalid : CTAPStatus.pinNotSet
  }
}
