/// Detects libraries that the environment loads into this program (`DYLD_INSERT_LIBRARIES`, `LD_PRELOAD`, `LD_AUDIT`). The score is 0.9
/// when there is one, because some desktops load harmless ones into every program, else 0.
public final class DyldDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"].contains { system.environment[$0]?.isEmpty == false }
      ? 0.9 : 0
  }
}
