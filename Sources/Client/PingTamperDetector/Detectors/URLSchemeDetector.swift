/// Detects apps for the URL schemes of stores beside the system's own, such as `cydia://`.
///
/// On iOS these apps are looked for in the system's folder, because only the main thread may query a scheme. The score is 1 when there is
/// one. No other system has such stores, and the score is 0 there.
public final class URLSchemeDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if os(iOS)
      ["Cydia", "Sileo", "Zebra", "Undecimus", "Filza"].contains { system.exists("/Applications/\($0).app") }
        ? 1 : 0
    #else
      0
    #endif
  }
}
