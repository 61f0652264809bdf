public import StrictJSON

/// How a journey is run; chosen by the client when it starts one, kept sealed for all its steps.
public struct JourneyOptions: Sendable, Hashable {
  /// Evaluate the journey without creating a session.
  public var noSession: Bool

  /// Run the journey although the client already has a session.
  public var forceAuth: Bool

  /// The authentication level below which success does not count; only a start sets it.
  public var requiredLevel: Int?

  /// The journey is run to raise the session that the client presents; only a start sets it.
  public var isUpgrade: Bool

  /// The journey is for the user of the session that the client presents, and fails for anybody else; only a start sets it.
  public var isOwn: Bool

  public init(
    noSession: Bool = false, forceAuth: Bool = false, requiredLevel: Int? = nil, isUpgrade: Bool = false,
    isOwn: Bool = false
  ) {
    self.noSession = noSession
    self.forceAuth = forceAuth
    self.requiredLevel = requiredLevel
    self.isUpgrade = isUpgrade
    self.isOwn = isOwn
  }

  /// These options, with `noSession` and `forceAuth` also on if `other` has them: a continuation may only restrict what the start asked
  /// for.
  func union(_ other: JourneyOptions) -> JourneyOptions {
    JourneyOptions(
      noSession: noSession || other.noSession, forceAuth: forceAuth || other.forceAuth,
      requiredLevel: requiredLevel, isUpgrade: isUpgrade, isOwn: isOwn)
  }
}

/// The outcome of one request to a journey.
public enum JourneyProgress: Sendable, Hashable {
  /// The client is asked something.
  case step(JourneyStep)

  /// The journey reached its success node.
  case success(JourneySuccess)

  /// The journey reached its failure node, or a node could not do its work.
  case failure(JourneyFailure)
}

/// A page of callbacks for the client.
public struct JourneyStep: Sendable, Hashable {
  /// The sealed position of the journey; usable for one answer.
  public var authID: String

  /// The callbacks in wire form, with `_id` and `IDTokenN` names.
  public var callbacks: [JSONObject]

  /// The page's title; may hold HTML. `nil` outside page nodes.
  public var header: String? = nil

  /// The page's text; may hold HTML.
  public var description: String? = nil

  /// A token or JSON text for the client's own pages.
  public var stage: String? = nil
}

/// A journey that reached its success node.
public struct JourneySuccess: Sendable, Hashable {
  public var journey: String
  public var realm: String

  /// The user whom the journey identified; `nil` when it identified nobody. Then no session may be created.
  public var username: String?

  /// The client or the journey wants no session.
  public var noSession: Bool

  /// Shared and secure state at the end. Transient state (passwords) has already been dropped.
  public var state: JourneyState

  /// How the journey was run.
  public var options: JourneyOptions

  /// The session that the client presented at the start; it may have ended meanwhile.
  public var session: PresentedSession?

  /// The step whose answer ended the run; `nil` when no answer did. The write that creates the session records the end
  /// (``AnsweredStep/endedExpiry``); a caller that creates none calls ``JourneyEngine/noteEnd(of:)``.
  public var answeredStep: AnsweredStep?

  /// A proof that does not count yet: the write that creates the session makes it count. A caller that creates no session, or whose write
  /// is refused, runs the engine again without ``RequestFacts/allowsDeferral``, because nothing of this run was stored.
  public var deferred: DeferredProof?
}

/// A journey that ended without success.
public struct JourneyFailure: Sendable, Hashable {
  public var journey: String
  public var realm: String

  /// The user as far as the journey knew, not proven; for the audit trail.
  public var username: String?

  /// What the client reads.
  public var message = "Login failure"

  /// Further members for the client's error body.
  public var detail: JSONObject = ["failureUrl": ""]

  /// The reasons of the failure, for the operator and never for the client: those that this request's nodes gave, then the cause. The
  /// engine has logged them.
  public var reasons: [String]
}

/// Why a request was not evaluated at all.
public enum JourneyRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// No journey of that name can be started in the realm: it does not exist, is disabled, or is an inner tree.
  case unknownJourney(String)

  /// The `authId` is tampered with, reused, expired, of another realm, or of a journey that is gone
  /// (401 with `errorCode` "110"). The text is for the log; clients learn no more than that.
  case stale(String)

  /// The step was answered before, and that answer ended the run, in success or failure (401 `Login failure`, as PingAM says of a
  /// finished run). Clients do not learn which.
  case ended

  /// The answer does not have the form of the callbacks that were sent (400). The `authId` stays usable.
  case badReply(String)

  /// The id of a suspended journey is unknown, used, expired, of another realm, or of a journey that is gone (401). The text is for the
  /// log; clients learn no more than that.
  case notSuspended(String)

  /// The step could not be consumed, or a node could not do its work because of a ``ServiceFailure``: the client may start
  /// again.
  case unavailable(String)

  public var description: String {
    switch self {
    case .unknownJourney(let name): "no journey named \(name.quoted) can be started here"
    case .stale(let why): "the authId cannot be used: \(why)"
    case .ended: "the authId cannot be used: it has been answered before, and the journey has ended"
    case .badReply(let why): "the answer does not fit the callbacks: \(why)"
    case .notSuspended(let why): "the journey cannot be resumed: \(why)"
    case .unavailable(let why): "the journey cannot continue now: \(why)"
    }
  }
}

/// The keys of what nodes set for the client to read at the end of a journey. It is in secure state, out of reach of scripts' generic
/// access.
public enum JourneyEndDetails {
  public static let key = "journeyEndDetails"
  public static let success = "success"
  public static let failure = "failure"
  public static let message = "message"

  /// The keys, in shared state, of the addresses to which the client goes next.
  public static let successURL = "successUrl"
  public static let failureURL = "failureUrl"

  /// Further members of the answer to a successful journey.
  public static func success(in state: JourneyState) -> JSONObject {
    state.secure[key]?[success]?.objectValue ?? JSONObject()
  }
}

extension JourneyFailure {
  /// Takes over the message, details and address that nodes have set.
  mutating func note(_ state: JourneyState) {
    if let details = state.secure[JourneyEndDetails.key] {
      if let text = details[JourneyEndDetails.message]?.stringValue, !text.isEmpty { message = text }
      detail.merge(details[JourneyEndDetails.failure]?.objectValue ?? JSONObject())
    }
    if let url = state.shared[JourneyEndDetails.failureURL]?.stringValue {
      detail["failureUrl"] = .string(url)
    }
  }
}
