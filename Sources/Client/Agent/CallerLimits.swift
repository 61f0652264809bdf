internal import Foundation

/// Counts the connections of each process, and pauses processes after failures.
///
/// All connections of a host to which the agent was forwarded are made by one process, the local `ssh`. Together they can neither take all
/// places nor fill the log. A program of the same user can start other processes.
struct CallerLimits {
  /// The largest number of connections at once; further ones are closed without an answer.
  static let mostConnections = 64
  /// The largest number of connections of one process. Fewer can wait for an answer (``AgentPolicy/longestQueueOfProcess``), and programs
  /// of this machine that sign in side by side are separate processes.
  static let mostOfProcess = 16
  /// How many failures pause a process: it is not answered.
  static let mostFailures = 8
  /// The length of the first pause, in seconds. Each further pause is twice as long.
  static let firstPause: TimeInterval = 60
  /// The longest pause, in seconds.
  static let longestPause: TimeInterval = 3600

  private struct Record {
    var connections = 0
    var failures = 0
    var lastFailure = Date.distantPast
    /// The last pause, and when it began.
    var pause: TimeInterval = 0
    var pausedAt = Date.distantPast
  }

  private var records: [Int32: Record] = [:]
  private(set) var connections = 0

  /// Whether a process gets another connection, which counts until ``ended(_:)``.
  mutating func admits(_ process: Int32, at now: Date) -> Bool {
    guard connections < Self.mostConnections, !isPaused(process, at: now),
      records[process]?.connections ?? 0 < Self.mostOfProcess
    else { return false }
    connections += 1
    records[process, default: Record()].connections += 1
    return true
  }

  mutating func ended(_ process: Int32) {
    connections -= 1
    records[process]?.connections -= 1
    if let record = records[process], record.connections == 0, record.lastFailure == .distantPast {
      records[process] = nil
    }
  }

  func isPaused(_ process: Int32, at now: Date) -> Bool {
    guard let record = records[process] else { return false }
    // A clock that was set back does not make the pause longer.
    return (0..<record.pause).contains(now.timeIntervalSince(record.pausedAt))
  }

  /// Counts a failure. When it is one too many, returns how long the process is not answered from now on.
  mutating func failed(_ process: Int32, at now: Date) -> TimeInterval? {
    // A request from before the pause began does not count.
    guard !isPaused(process, at: now) else { return nil }
    forgive(at: now)
    var record = records[process, default: Record()]
    defer { records[process] = record }
    record.failures += 1
    record.lastFailure = now
    guard record.failures >= Self.mostFailures else { return nil }
    record.failures = 0
    record.pause = min(max(2 * record.pause, Self.firstPause), Self.longestPause)
    record.pausedAt = now
    return record.pause
  }

  /// Forgets processes that have not failed for twice the longest pause.
  private mutating func forgive(at now: Date) {
    for (process, record) in records {
      guard record.lastFailure != .distantPast,
        !(0..<2 * Self.longestPause).contains(now.timeIntervalSince(record.lastFailure))
      else { continue }
      records[process] = record.connections == 0 ? nil : Record(connections: record.connections)
    }
  }
}
