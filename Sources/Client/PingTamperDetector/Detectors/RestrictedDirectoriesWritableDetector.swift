/// Detects system folders that are writable but should not be: on iOS by this program, on Linux by every user of the machine. The
/// score is 1 when there is one, else 0.
public final class RestrictedDirectoriesWritableDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if os(iOS)
      ["/", "/root", "/private", "/jb"].contains(where: system.isWritable) ? 1 : 0
    #elseif os(Linux)
      [
        "/", "/bin", "/sbin", "/lib", "/lib64", "/usr", "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib64",
        "/etc", "/boot",
      ]
      .contains(where: system.isWritableByAll) ? 1 : 0
    #else
      0
    #endif
  }
}
