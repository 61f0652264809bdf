/// A journey that waits for its person to come back by a link, on any device and server.
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
