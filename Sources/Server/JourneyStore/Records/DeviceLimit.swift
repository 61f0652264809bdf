/// Under which conditions a device may be added to an account; asked in the write that adds it.
public struct DeviceLimit: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Most devices of the kind that the user may have; 0 means no limit.
  public var count: Int

  /// Only while the user has no factor of any kind (``ServerStore/hasFactors(of:)``): what a password alone may
  /// add must not come to stand beside a stronger factor that was added meanwhile.
  public var onlyAsFirstFactor: Bool

  /// The id that the account must have: what one account's person has begun is not added to another that has got its name meanwhile. `nil`
  /// for whoever has the name.
  public var accountID: String?

  public init(_ count: Int, onlyAsFirstFactor: Bool = false, accountID: String? = nil) {
    self.count = count
    self.onlyAsFirstFactor = onlyAsFirstFactor
    self.accountID = accountID
  }

  public init(integerLiteral value: Int) { self.init(value) }
}
