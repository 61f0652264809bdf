/// Detects system folders that were moved elsewhere: on iOS folders that are links, on Linux links to a place outside of the system's
/// folders. The score is 1 when there is one, else 0.
public final class SymbolicLinkDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if os(iOS)
      [
        "/Applications", "/Library/Ringtones", "/Library/Wallpaper", "/usr/include", "/usr/libexec",
        "/usr/share",
      ]
      .contains { system.destination(of: $0) != nil } ? 1 : 0
    #elseif os(Linux)
      ["/bin", "/sbin", "/lib", "/lib64", "/usr", "/etc"].contains { folder in
        guard let target = system.destination(of: folder) else { return false }
        let first = target.split(separator: "/").first { $0 != "." }.map(String.init) ?? ""
        return !["bin", "sbin", "lib", "lib64", "usr", "etc"].contains(first)
      } ? 1 : 0
    #else
      0
    #endif
  }
}
