internal import Foundation
public import PingCommons

/// `deviceTampering`: little speaks for the device, or this program, having been tampered with.
///
/// The server's setting `score`, 0.8 when absent, is the limit: the policy is met when the measured score is below it.
public struct DeviceTamperingPolicy: MfaPolicy {
  /// The name under which servers ask for it.
  public static let policyName = "deviceTampering"

  public var name: String { Self.policyName }
  private let score: @Sendable () async throws -> Double

  private static let standardLimit = 0.8

  /// Measures with ``TamperSigns``.
  public init() { self.init { TamperSigns.current.score } }

  /// Measures with `score`: 0, nothing was found, to 1, certainly tampered with.
  public init(score: @escaping @Sendable () async throws -> Double) { self.score = score }

  public func evaluate(data: [String: Any]?) async throws -> Bool {
    let setting = data?["score"]
    let limit = setting as? Double ?? (setting as? Int).map(Double.init) ?? Self.standardLimit
    return try await score() < limit
  }
}

/// What speaks for this program or its device having been tampered with. A hint: who controls the device can hide it.
public struct TamperSigns: Sendable, Hashable {
  /// Another process traces this one (a debugger).
  public var isTraced = false

  /// Foreign code is loaded into this program (`LD_PRELOAD`, `DYLD_INSERT_LIBRARIES`).
  public var hasForeignCode = false

  /// Every user of the machine may replace the program's file.
  public var isReplaceable = false

  /// The restrictions of the system were removed ("jailbreak").
  public var isUnlocked = false

  public init() {}

  /// 1 for each of these signs alone but foreign code, which is 0.9: some desktops load harmless code everywhere.
  public var score: Double {
    if isTraced || isReplaceable || isUnlocked { return 1 }
    return hasForeignCode ? 0.9 : 0
  }

  /// The signs that can be seen now.
  public static var current: TamperSigns {
    var signs = TamperSigns()
    let environment = ProcessInfo.processInfo.environment
    signs.hasForeignCode = ["LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES"].contains {
      environment[$0]?.isEmpty == false
    }
    #if os(Linux)
      signs.isTraced = isTraced(
        status: (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? "")
      var status = stat()
      if stat("/proc/self/exe", &status) == 0 { signs.isReplaceable = status.st_mode & 0o002 != 0 }
    #elseif os(iOS)
      signs.isUnlocked = ["/Applications/Cydia.app", "/Applications/Sileo.app", "/var/jb", "/bin/bash"]
        .contains {
          FileManager.default.fileExists(atPath: $0)
        }
    #endif
    return signs
  }

  /// Whether `/proc/self/status` names a tracer (proc_pid_status(5)).
  static func isTraced(status: String) -> Bool {
    status.split(separator: "\n").contains { line in
      line.hasPrefix("TracerPid:") && line.dropFirst(10).trimmingCharacters(in: .whitespaces) != "0"
    }
  }
}
