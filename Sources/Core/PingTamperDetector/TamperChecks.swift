internal import Foundation

/// Another process traces this one, as debuggers do. Linux only: 1.
public struct DebuggerCheck: TamperCheck {
  public init() {}

  public func score() -> Double {
    #if os(Linux)
      let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
      return Self.isTraced(status: status) ? 1 : 0
    #else
      return 0
    #endif
  }

  /// Whether `/proc/self/status` names a tracer (proc_pid_status(5)).
  static func isTraced(status: String) -> Bool {
    status.split(separator: "\n").contains { line in
      line.hasPrefix("TracerPid:") && line.dropFirst(10).trimmingCharacters(in: .whitespaces) != "0"
    }
  }
}

/// Code was loaded into this program from outside: 0.9, because some desktops load harmless code into every program.
public struct ForeignCodeCheck: TamperCheck {
  private let environment: [String: String]

  /// Looks at this process's environment.
  public init() { self.init(environment: ProcessInfo.processInfo.environment) }

  init(environment: [String: String]) { self.environment = environment }

  public func score() -> Double {
    let isLoaded = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"].contains {
      environment[$0]?.isEmpty == false
    }
    return isLoaded ? 0.9 : 0
  }
}

/// Every user of the machine may replace the program's file. Linux only: 1.
public struct ReplaceableProgramCheck: TamperCheck {
  private let path: String

  /// Looks at this process's file.
  public init() { self.init(path: "/proc/self/exe") }

  init(path: String) { self.path = path }

  public func score() -> Double {
    #if os(Linux)
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & 0o002 != 0 ? 1 : 0
    #else
      return 0
    #endif
  }
}

/// The restrictions of the system were removed ("jailbreak"). iOS only: 1.
public struct UnlockedSystemCheck: TamperCheck {
  public init() {}

  public func score() -> Double {
    #if os(iOS)
      let traces = ["/Applications/Cydia.app", "/Applications/Sileo.app", "/var/jb", "/bin/bash"]
      return traces.contains { FileManager.default.fileExists(atPath: $0) } ? 1 : 0
    #else
      return 0
    #endif
  }
}
