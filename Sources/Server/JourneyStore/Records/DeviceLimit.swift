/// Under which conditions a device may be added to an account; asked in the write that adds it.
public struct DeviceLimit: Sendable, Hashable, ExpressibleByIntegerLiteral {
  /// Most devices of the kind that the user may have; 0 means no limit.
  public var count: Int

  /// Only while the user has no factor of any kind (``FactorStore/hasFactors(of:)``): what a password alone may
  /// add must not come to stand beside a stronger factor that was added meanwhile.
  public var onlyAsFirstFactor: Bool

  public init(_ count: Int, onlyAsFirstFactor: Bool = false) {
    self.count = count
    self.onlyAsFirstFactor = onlyAsFirstFactor
  }

  public init(integerLiteral value: Int) { self.init(value) }
}
