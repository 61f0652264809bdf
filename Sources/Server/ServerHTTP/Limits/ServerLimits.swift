public import Foundation
public import JourneyStore

/// Everything that one client, address, account or device can use of a server, with numbers that 10,000 honest users behind one
/// address never reach. `docs/limits.md` has the same numbers as a table.
public struct ServerLimits: Sendable, Hashable {
  // MARK: Connections

  /// Connections open at once. When one more comes, the one that has waited longest for its next request is closed;
  /// when none waits, the new one. The server takes fewer when the system gives it fewer file descriptors.
  public var connections = 16_384

  /// Connections of one address (IPv6: of one /64) open at once, trusted proxies excepted.
  public var connectionsPerAddress = 12_288

  /// Bytes of all header fields of a request together.
  public var headerBytes = 32 << 10

  /// Bytes of one header field, its name included, and of a request's target.
  public var headerFieldBytes = 16 << 10

  /// Header fields of a request.
  public var headerFields = 100

  /// Seconds from a connection's begin, TLS included, until its first request's head is complete.
  public var headTime: TimeInterval = 20

  /// Seconds between an answer and the complete head of the next request on the same connection.
  public var idleTime: TimeInterval = 75

  /// Seconds from a request's head to the end of its body. Bytes that trickle in do not extend it.
  public var bodyTime: TimeInterval = 30

  /// Seconds from a request's end until the client has taken the whole answer. A push stream is excepted once it has
  /// begun; a long poll waits 30 seconds at most.
  public var answerTime: TimeInterval = 90

  /// Bytes of a refused request's body that are read and discarded before the connection is closed.
  public var discardedBytes = 1 << 20

  // MARK: Bodies

  /// Bytes of a request's body, except for those below.
  public var body = 16 << 10

  /// Bytes of a body at `/users`.
  public var userBody = 64 << 10

  /// Bytes of a body at `/authenticate`: an `authId` of 131,328 characters, one input of 64 KiB, which holds the
  /// largest answer of a WebAuthn authenticator that is taken, and 64 KiB for the callbacks that clients send back.
  public var authenticateBody = 256 << 10

  /// Bytes of a form by which a journey is uploaded: an export of 1 MiB, whose quotation marks take three bytes each in a form.
  public var uploadBody = 3 << 20

  /// Bytes of all bodies that are being received. An address may use as much of it as is still free.
  public var bodiesUnderWay = 128 << 20

  // MARK: Requests

  /// Requests a minute of one address. Requests that prove a session, an application, a push device or a journey
  /// under way are taken beyond it. `nil` does not count.
  public var requestsPerAddress: Int? = 60_000

  /// Requests a minute with the sessions of one account. `nil` does not count.
  public var requestsPerAccount: Int? = 6_000

  /// Requests a minute of one application. `nil` does not count.
  public var requestsPerApplication: Int? = 12_000

  /// Requests a minute of one push device, or about one push message. Only requests with a valid proof count.
  /// `nil` does not count.
  public var requestsPerDevice: Int? = 600

  /// Push requests a minute of one address that prove nothing; beyond it such a request is answered with 429 instead
  /// of its refusal. A request that proves its device is never refused for it. `nil` does not count.
  public var refusedProofsPerAddress: Int? = 120

  /// Journeys a minute that begin to wait for a link on behalf of one address; each is a row in the database until its link is used or its
  /// time is over. One that has collected more than 4 KiB counts as several. `nil` does not count.
  public var suspensionsPerAddress: Int? = 3_000

  /// Passwords that wait to be hashed. When one more comes, the source with the most waiting loses its last one.
  public var waitingPasswords = 128

  // MARK: What is stored

  /// What the store holds for one account or application.
  public var stored = StoreQuotas()

  public init() {}
}
