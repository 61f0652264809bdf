/// Which password of which account was right. Whoever begins a session with it asks, in the write that begins it, whether that still is the
/// account's password: a run that was past it when the password was reset ends without a session.
public struct PasswordMark: Sendable, Hashable {
  /// ``UserRecord/id``.
  public let accountID: String

  /// ``UserRecord/passwordVersion``.
  public let version: Int

  public init(accountID: String, version: Int) {
    self.accountID = accountID
    self.version = version
  }

  /// The mark of the account's password as it is in `user`.
  public init(_ user: UserRecord) { self.init(accountID: user.id, version: user.passwordVersion) }

  /// Reads what ``text`` wrote; `nil` for anything else.
  public init?(text: String) {
    let parts = text.split(separator: " ", maxSplits: 1)
    guard parts.count == 2, let version = Int(parts[0]) else { return nil }
    self.init(accountID: String(parts[1]), version: version)
  }

  /// In one text, as a journey carries it along.
  public var text: String { "\(version) \(accountID)" }
}
