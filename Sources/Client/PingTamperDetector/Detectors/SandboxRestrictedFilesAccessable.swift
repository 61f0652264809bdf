/// Detects readable files that only the system should read: on iOS files that jailbreak tools leave outside of the sandbox, on Linux the
/// users' passwords (`/etc/shadow`), unless this program runs as the administrator. The score is 1 when there is one, else 0.
public final class SandboxRestrictedFilesAccessable: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if os(iOS)
      [
        "/.installed_unc0ver", "/.bootstrapped_electra", "/private/var/mobile/Library/SBSettings",
        "/var/log/apt",
      ]
      .contains(where: system.isReadable) ? 1 : 0
    #elseif os(Linux)
      !system.isAdministrator && ["/etc/shadow", "/etc/gshadow"].contains(where: system.isReadable) ? 1 : 0
    #else
      0
    #endif
  }
}
