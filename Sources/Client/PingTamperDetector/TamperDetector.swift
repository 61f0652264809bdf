internal import Foundation
public import PingCommons

/// Estimates whether this program or its device was tampered with.
///
/// The score is a hint, not a proof: someone who controls the device can hide every sign. See ``TamperSigns``.
public final class TamperDetector: Sendable {
  private let signs: @Sendable () -> TamperSigns

  /// Examines this process and this device.
  public convenience init() { self.init { .current } }

  /// Examines `signs`.
  public init(signs: @escaping @Sendable () -> TamperSigns) { self.signs = signs }

  /// From 0 (no signs) to 1 (certainly tampered with).
  public func analyze() -> Double { signs().score }
}

/// `deviceTampering`: there are few signs that the device or this program was tampered with.
///
/// The server's setting `score`, 0.8 by default, is the limit: the policy is met while the measured score is below it.
public struct DeviceTamperingPolicy: MfaPolicy {
  /// The policy's name in servers' requests.
  public static let policyName = "deviceTampering"

  public var name: String { Self.policyName }
  private let score: @Sendable () async throws -> Double

  /// Measures with ``TamperSigns``.
  public init() { self.init { TamperSigns.current.score } }

  /// Measures with `score`, from 0 (no signs) to 1 (certainly tampered with).
  public init(score: @escaping @Sendable () async throws -> Double) { self.score = score }

  public func evaluate(data: [String: Any]?) async throws -> Bool {
    let setting = data?["score"]
    let limit = setting as? Double ?? (setting as? Int).map(Double.init) ?? 0.8
    return try await score() < limit
  }
}

/// Signs that this program or its device was tampered with. They are hints: someone who controls the device can hide them.
public struct TamperSigns: Sendable, Hashable {
  /// Another process traces this one (a debugger).
  public var isTraced = false

  /// Foreign libraries are loaded into this program (`LD_PRELOAD`, `DYLD_INSERT_LIBRARIES`).
  public var hasForeignCode = false

  /// Any user of the machine may replace the program's file.
  public var isReplaceable = false

  /// The system's restrictions were removed ("jailbreak").
  public var isUnlocked = false

  public init() {}

  /// 1 for any of these signs, but 0.9 for foreign code alone: some desktops load harmless libraries everywhere.
  public var score: Double {
    if isTraced || isReplaceable || isUnlocked { return 1 }
    return hasForeignCode ? 0.9 : 0
  }

  /// The signs that are visible now.
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
        .contains { FileManager.default.fileExists(atPath: $0) }
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
