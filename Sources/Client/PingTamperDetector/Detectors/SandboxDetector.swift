internal import Foundation

/// Checks the isolation of this program. On iOS the score is 1 when a folder outside of the sandbox is writable, else 0.
///
/// On Linux the score is 1 when another process traces this one (a debugger), 0.3 in a container, whose host sees everything in it, and
/// else 0.
public final class SandboxDetector: TamperDetectorProtocol, Sendable {
  private let system: ExaminedSystem

  public convenience init() { self.init(system: ExaminedSystem()) }

  init(system: ExaminedSystem) { self.system = system }

  public func analyze() -> Double {
    #if os(iOS)
      ["/private/var/mobile/Library/Preferences", "/private/var/mobile"].contains(where: system.isWritable)
        ? 1 : 0
    #elseif os(Linux)
      isTraced ? 1 : isInContainer ? 0.3 : 0
    #else
      0
    #endif
  }

  /// Whether `/proc/self/status` names a tracer (proc_pid_status(5)).
  private var isTraced: Bool {
    system.text("/proc/self/status").split(separator: "\n").contains { line in
      line.hasPrefix("TracerPid:") && line.dropFirst(10).trimmingCharacters(in: .whitespaces) != "0"
    }
  }

  /// Whether there are marks of a container of Docker, Podman, systemd (`container` in the environment) or Kubernetes.
  private var isInContainer: Bool {
    system.exists("/.dockerenv") || system.exists("/run/.containerenv")
      || system.exists("/run/systemd/container")
      || ["container", "KUBERNETES_SERVICE_HOST"].contains { system.environment[$0]?.isEmpty == false }
  }
}
