/// Looks for signs that this program, or the device under it, was tampered with.
///
/// The score is a hint and no proof: who controls the device can hide every sign.
public final class TamperDetector: Sendable {
  /// What is looked for.
  public let checks: [any TamperCheck]

  /// Looks for everything that this module knows.
  public convenience init() { self.init(checks: Self.standardChecks) }

  /// Looks for `checks` only, for apps with checks of their own.
  public init(checks: [any TamperCheck]) { self.checks = checks }

  /// A debugger, foreign code, a program file that everybody may replace, a system whose restrictions were removed.
  public static var standardChecks: [any TamperCheck] {
    [DebuggerCheck(), ForeignCodeCheck(), ReplaceableProgramCheck(), UnlockedSystemCheck()]
  }

  /// From 0, nothing was found, to 1, certainly tampered with: the highest score of the checks.
  public func analyze() -> Double {
    checks.map { min(max($0.score(), 0), 1) }.filter { !$0.isNaN }.max() ?? 0
  }
}

/// One sign of tampering.
public protocol TamperCheck: Sendable {
  /// From 0, no sign of it, to 1, certainly there.
  func score() -> Double
}
