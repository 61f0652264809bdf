/// Detects files of jailbreak tools that this program can open, which a sandbox would prevent; on Linux detects whether every user of the
/// machine may replace this program's own file. The score is 1 when there is one, else 0.
public final class SuspiciousFilesAccessableDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if os(iOS)
      SuspiciousFilesExistenceDetector.files.contains(where: system.isReadable) ? 1 : 0
    #elseif os(Linux)
      system.isWritableByAll("/proc/self/exe") ? 1 : 0
    #else
      0
    #endif
  }
}
