import Foundation

/// A control group whose processes share so much of a processor, as if the machine were smaller (cgroups(7), versions 1 and 2).
/// It needs root.
public struct ProcessorLimit: Sendable {
  private let folder: URL

  /// - Parameters:
  ///   - processors: how many of them, such as 0.25.
  ///   - name: the group's, which must be new.
  public init(_ processors: Double, name: String) throws {
    let first = URL(filePath: "/sys/fs/cgroup/cpu")
    let isFirstVersion = FileManager.default.fileExists(
      atPath: first.appending(path: "cpu.cfs_quota_us").path(percentEncoded: false))
    folder = (isFirstVersion ? first : URL(filePath: "/sys/fs/cgroup")).appending(path: name)
    let (period, quota) = (20_000, Int(20_000 * processors))
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      if isFirstVersion {
        try Self.write("\(period)", folder.appending(path: "cpu.cfs_period_us"))
        try Self.write("\(quota)", folder.appending(path: "cpu.cfs_quota_us"))
      } else {
        try Self.write("\(quota) \(period)", folder.appending(path: "cpu.max"))
      }
    } catch {
      throw BenchError("a control group for a part of a processor cannot be made: \(error)")
    }
  }

  /// The program and arguments that start `command` within the limit.
  func limited(_ command: [String]) -> [String] {
    let group = folder.appending(path: "cgroup.procs").path(percentEncoded: false)
    return ["/bin/sh", "-c", "echo $$ > \(group) && exec \"$@\"", "sh"] + command
  }

  /// Once its processes have ended.
  func remove() { rmdir(folder.path(percentEncoded: false)) }

  /// Not by a new file that takes the other's place: there are no others in this file system.
  private static func write(_ text: String, _ file: URL) throws {
    let handle = try FileHandle(forWritingTo: file)
    defer { try? handle.close() }
    try handle.write(contentsOf: Data(text.utf8))
  }
}
