internal import Foundation

/// Identifies a process, even among containers and among later processes with the same number.
struct ProcessMark: Codable, Sendable, Hashable {
  let processID: Int32
  /// The namespace of `processID`; each container has its own, even when they share a home. `nil` where there is only one.
  let namespace: String?
  /// When the process began, in the system's units; `nil` where that cannot be read.
  let start: String?

  /// This process.
  static let own: ProcessMark = {
    let number = ProcessInfo.processInfo.processIdentifier
    return ProcessMark(processID: number, namespace: ownNamespace, start: start(of: number))
  }()

  /// Whether the process has certainly ended. A process of another namespace may still be running.
  var hasEnded: Bool {
    guard namespace == Self.ownNamespace else { return false }
    if kill(processID, 0) != 0, errno == ESRCH { return true }
    // Another process may have the number now.
    guard let start, let now = Self.start(of: processID) else { return false }
    return start != now
  }

  #if os(Linux)
    private static let ownNamespace: String? = {
      let space = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")
      let boot = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
      return space.map { "\($0) \(boot?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "")" }
    }()

    /// The 22nd field of `/proc/PID/stat` (proc(5)); the second one may hold blanks and brackets.
    private static func start(of processID: Int32) -> String? {
      guard let line = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
        let name = line.lastIndex(of: ")")
      else { return nil }
      let fields = line[name...].split(separator: " ")
      return fields.count > 20 ? String(fields[20]) : nil
    }
  #else
    private static let ownNamespace: String? = nil

    private static func start(of processID: Int32) -> String? { nil }
  #endif
}
