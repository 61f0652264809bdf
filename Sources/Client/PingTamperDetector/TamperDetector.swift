/// Finds out how much speaks for this program, or the device under it, having been tampered with.
///
/// The score is a hint and no proof: who controls the device can hide every sign. ``TamperSigns`` says which there are.
public final class TamperDetector: Sendable {
  private let signs: @Sendable () -> TamperSigns

  /// Looks at this process and this device.
  public convenience init() { self.init { .current } }

  /// Looks at `signs`.
  public init(signs: @escaping @Sendable () -> TamperSigns) { self.signs = signs }

  /// From 0, nothing was found, to 1, certainly tampered with.
  public func analyze() -> Double { signs().score }
}
