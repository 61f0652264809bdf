internal import Bytes
internal import Crypto
public import Foundation
internal import StrictJSON

/// Keeps journeys that wait for their link, for all servers of a cluster.
public protocol SuspendedJourneys: Sendable {
  /// Stores the journey's position; durable when it returns. The content holds everything that the journey has collected, including
  /// passwords, so it must be encrypted.
  func keep(_ journey: SuspendedJourney) async throws

  /// Removes the journey and returns what was kept, for exactly one caller; `nil` when it does not exist, belongs to another realm, or has
  /// expired. One conditional write.
  func take(_ key: SuspendedJourney.Key, now: Date) async throws -> [UInt8]?
}

/// A journey that waits for its link.
public struct SuspendedJourney: Sendable, Hashable {
  public struct Key: Sendable, Hashable {
    /// SHA-256 of the link's id, in hexadecimal: a reader of the store cannot continue the journey.
    public var hash: String
    public var realm: String

    public init(hash: String, realm: String) {
      self.hash = hash
      self.realm = realm
    }

    /// - Parameter id: the id in a ``ResumeLink``.
    init(id: String, realm: String) {
      self.init(hash: Array(SHA256.hash(data: Data(id.utf8))).hexadecimal, realm: realm)
    }
  }

  public var key: Key
  public var content: [UInt8]
  public var createdAt: Date

  /// The time from which the link is not accepted.
  public var expiresAt: Date
}

/// How an engine suspends journeys.
public struct JourneySuspension: Sendable {
  public var store: any SuspendedJourneys

  /// Seconds that a link is accepted. PingAM's default is five minutes.
  public var lifetime: TimeInterval

  public init(store: any SuspendedJourneys, lifetime: TimeInterval = 300) {
    self.store = store
    self.lifetime = lifetime
  }

  /// Random bytes in a link's id.
  static let idCount = 32

  /// Whether `id` has the form of a link's id; others are not looked up.
  static func isID(_ id: String) -> Bool {
    id.utf8.count == 43 && Base64URL.decode(id)?.count == idCount
  }

  /// The link's address: the page on which people run journeys, with the id.
  ///
  /// - Throws: ``NodeRefusal`` when the server does not know its own address.
  static func link(id: String, request: RequestFacts) throws -> ResumeLink {
    guard let base = request.mailBaseURL else {
      throw NodeRefusal(
        "the server does not know its public address, and must not take the address of a link from the client; set --public-url",
        detail: JSONObject())
    }
    let realm = request.realm == "root" ? "/" : "/\(request.realm)"
    return ResumeLink(
      address:
        "\(base)/XUI/?realm=\(PercentEncoding.encode(realm).replacing("%2F", with: "/"))&suspendedId=\(id)",
      id: id)
  }
}

/// A node's request to suspend the journey until the person comes back by a link, on any device and server.
public struct Suspension: Sendable {
  /// The link that continues the journey, once; from ``NodeContext/resumeLink()``.
  public var link: ResumeLink

  /// What the client shows meanwhile.
  public var message: String

  /// Sends the mail. Called once the journey is stored, so that the link always works.
  public var afterStoring: @Sendable () async throws -> Void

  public init(
    link: ResumeLink, message: String, afterStoring: @escaping @Sendable () async throws -> Void = {}
  ) {
    self.link = link
    self.message = message
    self.afterStoring = afterStoring
  }
}

extension Suspension: Hashable {
  public static func == (one: Suspension, other: Suspension) -> Bool {
    one.link == other.link && one.message == other.message
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(link)
    hasher.combine(message)
  }
}

/// The address that continues a suspended journey. Anyone who has it continues in the person's place: it is as secret as a password,
/// and must not be logged.
public struct ResumeLink: Sendable, Hashable {
  /// The whole address, as it goes into a mail.
  public var address: String

  /// The `suspendedId` in it.
  public var id: String

  public init(address: String, id: String) {
    self.address = address
    self.id = id
  }
}
