import CommonFixtures
import Foundation

/// Notices changes below a folder by looking again and again, without a pause: the moments between two writes are short.
struct FolderChanges {
  private let folder: URL

  init(_ folder: URL) { self.folder = folder }

  /// Returns when what is below the folder has changed `count` times, or when the command has ended.
  ///
  /// - Throws: `WaitTimeout`
  func wait(
    for count: Int, orEndOf command: RunningCommand, within limit: Duration = .seconds(60),
    fileID: String = #fileID, line: Int = #line
  ) async throws {
    let end = ContinuousClock.now.advanced(by: limit)
    var (last, changes) = (listing, 0)
    while changes < count, !command.hasEnded {
      guard ContinuousClock.now < end else {
        throw WaitTimeout(
          "the folder has changed \(count) times, not \(changes), or the command has ended", within: limit,
          fileID: fileID, line: line)
      }
      await Task.yield()
      let now = listing
      if now != last { changes += 1 }
      last = now
    }
  }

  /// Names with the moment of their last change.
  private var listing: [String: Date] {
    let path = folder.path(percentEncoded: false)
    var result: [String: Date] = [:]
    for name in (try? FileManager.default.subpathsOfDirectory(atPath: path)) ?? [] {
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: folder.appending(path: name).path(percentEncoded: false))
      result[name] = attributes?[.modificationDate] as? Date ?? .distantPast
    }
    return result
  }
}
