public import BindingFormats
public import Foundation

/// What the server expects a device to answer: an enrolment, or a question sent to a user's devices. It is bound to message,
/// user, type, answer and the moment at which it ends, and is decided once.
public struct PushMessageRecord: Sendable, Hashable {
  public enum Kind: String, Sendable, Hashable {
    case registration, authentication
  }

  /// How the person answers.
  public enum PushType: String, Sendable, Hashable {
    /// A tap.
    case `default`
    /// Choosing one of three numbers.
    case challenge
    /// A tap after the device has recognised the person.
    case biometric
    /// Entering the six digits that the login page shows.
    case code
  }

  public enum State: String, Sendable, Hashable {
    case pending, approved, denied
  }

  /// What an enrolment will store when the device answers.
  public struct Enrolment: Sendable, Hashable {
    /// ``PushDeviceRecord/uuid`` of the device to be.
    public var uuid: String
    public var issuer: String
    public var sharedSecret: StoredSecret

    /// Most devices of the user; 0 is no limit.
    public var deviceLimit: Int

    /// Only while the user has no factor of any kind; see ``DeviceLimit/onlyAsFirstFactor``.
    public var onlyAsFirstFactor = false

    /// The user's one-time codes, stored together with the device; `nil` for push alone.
    public var oath: OathDeviceRecord?

    public init(
      uuid: String, issuer: String, sharedSecret: StoredSecret, deviceLimit: Int,
      oath: OathDeviceRecord? = nil
    ) {
      self.uuid = uuid
      self.issuer = issuer
      self.sharedSecret = sharedSecret
      self.deviceLimit = deviceLimit
      self.oath = oath
    }
  }

  /// `REGISTER:…` or `AUTHENTICATE:…`; unique in its realm.
  public var id: String
  public var realm: String
  public var username: String
  public var kind: Kind
  public var type: PushType

  /// 32 random bytes of this message alone.
  public var challenge: StoredSecret

  /// The right number or code in ASCII; `nil` for types without one.
  public var answer: StoredSecret?

  /// `nil` unless ``kind`` is a registration.
  public var enrolment: Enrolment?
  public var sentAt: Date

  /// The time from which no answer counts. An earlier answer stays.
  public var expiresAt: Date
  public var state: State
  public var wrongAnswers: Int

  /// ``PushDeviceRecord/mechanismUID`` of the device that decided.
  public var decidedBy: String?

  /// Why the person denied, in the device's words.
  public var reason: String?

  /// The known device on which the asking journey runs; wrong numbers and codes are counted for it (``LockoutScope``).
  public var knownDevice: String?

  public init(
    id: String, realm: String, username: String, kind: Kind, type: PushType = .default,
    challenge: StoredSecret, answer: StoredSecret? = nil, enrolment: Enrolment? = nil, sentAt: Date,
    expiresAt: Date, state: State = .pending, wrongAnswers: Int = 0, decidedBy: String? = nil,
    reason: String? = nil, knownDevice: String? = nil
  ) {
    self.knownDevice = knownDevice
    self.id = id
    self.realm = realm
    self.username = username
    self.kind = kind
    self.type = type
    self.challenge = challenge
    self.answer = answer
    self.enrolment = enrolment
    self.sentAt = sentAt
    self.expiresAt = expiresAt
    self.state = state
    self.wrongAnswers = wrongAnswers
    self.decidedBy = decidedBy
    self.reason = reason
  }

  /// The account whose devices it asks.
  public var account: UniversalID { UniversalID(username: username, realm: realm) }

  /// The denial that an approval becomes when its device has been removed since.
  package var withoutDevice: PushMessageRecord {
    var denied = self
    denied.state = .denied
    denied.reason = "the device has been removed"
    return denied
  }

  /// Whether an answer at `now` would still count.
  public func isOpen(at now: Date) -> Bool { state == .pending && expiresAt > now }
}

/// The decision on a push message, kept for later queries. It stays when message, device and user are deleted.
public struct PushDecisionRecord: Sendable, Hashable {
  /// From 1, ascending over all realms.
  public var number: Int64
  public var realm: String
  public var username: String

  /// The account's id; `nil` when a server of an earlier version has kept the decision.
  public var accountID: String? = nil

  /// ``PushMessageRecord/id``
  public var messageID: String
  public var type: PushMessageRecord.PushType
  public var state: PushMessageRecord.State

  /// ``PushDeviceRecord/uuid`` and name of the device that decided, as they were then.
  public var device: String
  public var deviceName: String

  /// Why it was denied: the person's words, or the server's when the answers were wrong.
  public var reason: String? = nil
  public var sentAt: Date
  public var decidedAt: Date
}

/// A message as one device gets it.
public struct PushInboxItem: Sendable, Hashable {
  public var messageID: String
  public var mechanismUID: String

  /// The JWS for this device (reference push §3.3).
  public var message: String

  /// Whether the device has fetched it before.
  public var wasFetched: Bool

  public init(messageID: String, mechanismUID: String, message: String, wasFetched: Bool = false) {
    self.messageID = messageID
    self.mechanismUID = mechanismUID
    self.message = message
    self.wasFetched = wasFetched
  }
}

/// Limits that protect a user from push fatigue, and numbers and codes from being guessed.
public struct PushLimits: Sendable, Hashable {
  /// Questions of one user that may be open at once.
  public var openMessages: Int = 3

  /// Questions sent to one user since the last success.
  public var messagesSinceSuccess: Int = 10

  /// Wrong numbers and codes of one user since the last success, over all messages.
  public var wrongAnswersSinceSuccess: Int = 5

  /// Wrong numbers or codes that end one message as denied.
  public var wrongAnswersPerMessage: Int = 2

  /// After this much time without a message or a wrong answer, counting starts anew. Seconds.
  public var memory: TimeInterval = 3600

  /// Three open, ten since the last success; five wrong answers in all and two for one message; an hour's memory.
  public static let standard = PushLimits()
}
