internal import Concurrency
internal import Foundation

/// Copies the state that an earlier version kept in the command line's home into an application's own home.
///
/// Nobody can tell whether state in the shared folder belongs to the command line or to an application. It therefore stays there, and
/// is copied for one application only, the first that runs. A file in the shared folder names that application. The copy appears whole
/// or not at all.
struct HomeTakeover: Sendable {
  let shared: ClientHome
  let application: String
  /// Receives messages: one when the state was copied, and one each time when that failed.
  var report: @Sendable (String) -> Void = Self.toStandardError

  /// The folders of an application's state, without those of this project's programs: the server's data, locks, witnesses.
  private static let folders: Set<String> = [
    "authorizations", "credentials", "keys", "oath", "push", "secured-keys", "storage",
  ]

  /// Hidden, so that nothing lists it.
  private static let markName = ".taken-over"
  private static let done = "\n"

  private var apps: URL { shared.directory.appendingPathComponent("apps", isDirectory: true) }
  private var own: ClientHome {
    ClientHome(directory: apps.appendingPathComponent(fileName(for: application), isDirectory: true))
  }
  private var mark: URL { shared.directory.appendingPathComponent(Self.markName) }

  /// The homes found so far in this process, by the application's own folder. The lock lets one takeover run at a time. A home does not
  /// change while the process runs, because its files stay open.
  private static let known = Locked<[URL: ClientHome]>([:])

  /// The application's home. When the earlier state cannot be copied, the shared home is used, so that nobody loses their keys.
  func home() -> ClientHome {
    Self.known.withLock { known in
      if let home = known[own.directory] { return home }
      let home: ClientHome
      do { home = try takenOver() } catch {
        report(
          "sealring: the state in \(shared.directory.path) could not be copied for \(application), and is used where it is: "
            + "\(FileReason.of(error))"
        )
        home = shared
      }
      known[own.directory] = home
      return home
    }
  }

  func takenOver() throws(FileStorageError) -> ClientHome {
    guard !isTest, !ProtectedFiles.isThere(own.directory), try sources().isEmpty == false, try isOpen()
    else { return own }
    try ProtectedFiles.createFolder(shared.directory)
    let file = shared.directory.appendingPathComponent(".taken-over.lock")
    let lock = try ProtectedFiles.openLocked(file.path, for: file)
    defer { close(lock) }
    // Another process may have been faster.
    guard !ProtectedFiles.isThere(own.directory), try isOpen() else { return own }
    let copy = try copied()
    // The order matters: a takeover that is marked but has no folder was interrupted, and the same application repeats it.
    try ProtectedFiles.replace(mark, with: Array(application.utf8))
    guard rename(copy.path, own.directory.path) == 0 else {
      throw .unwritable(path: own.directory.path, reason: ProtectedFiles.lastReason())
    }
    try ProtectedFiles.synchronize(folder: apps)
    try ProtectedFiles.replace(mark, with: Array((application + Self.done).utf8))
    report(
      "sealring: \(application) has its own state now, in \(own.directory.path): a copy of what \(shared.directory.path) held, "
        + "which stays the command line's"
    )
    return own
  }

  /// Whether the program is Swift's test runner, which must not take the state in the app's place.
  private var isTest: Bool {
    application.hasSuffix("xctest") || application.hasSuffix(".swift-testing")
      || application == "swiftpm-testing-helper"
  }

  /// Whether this application may copy the state: no application has done so, or this one was interrupted.
  private func isOpen() throws(FileStorageError) -> Bool {
    guard let text = try ProtectedFiles.read(mark, limit: 4096) else { return true }
    return String(decoding: text, as: UTF8.self) == application
  }

  private func sources() throws(FileStorageError) -> [URL] {
    try ProtectedFiles.names(in: shared.directory)
      .filter { Self.folders.contains($0) || $0.hasPrefix("com.forgerock.") }
      .map { shared.directory.appendingPathComponent($0, isDirectory: true) }
  }

  /// Copies the folders into a temporary folder beside the final one, and returns it.
  private func copied() throws(FileStorageError) -> URL {
    try ProtectedFiles.createFolder(apps)
    let target = apps.appendingPathComponent(".\(own.directory.lastPathComponent).tmp", isDirectory: true)
    for _ in 0..<5 {
      // Removes what an interrupted process left, or a copy whose source was changed meanwhile.
      try? FileManager.default.removeItem(at: target)
      try ProtectedFiles.createFolder(target)
      var (before, after): ([String: FileState], [String: FileState]) = ([:], [:])
      for folder in try sources() {
        try FolderCopy(from: folder, states: &before).write(
          to: target.appendingPathComponent(folder.lastPathComponent, isDirectory: true))
      }
      for folder in try sources() { _ = try FolderCopy(from: folder, states: &after) }
      if before == after { return target }
    }
    throw .locked(path: shared.directory.path)
  }

  private static let toStandardError: @Sendable (String) -> Void = { text in
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }
}

/// The attributes that change when a file is written.
private struct FileState: Equatable {
  let inode: UInt64
  let size: Int64
  let modified: Date?
}

/// The files and subfolders of a folder that is to be copied.
private struct FolderCopy {
  private var files: [URL] = []
  private var folders: [(name: String, copy: FolderCopy)] = []

  /// A depth that no application's state reaches.
  private static let deepest = 6

  init(from folder: URL, states: inout [String: FileState], depth: Int = 0) throws(FileStorageError) {
    guard depth < Self.deepest else { return }
    for name in try ProtectedFiles.names(in: folder) {
      let file = folder.appendingPathComponent(name)
      var status = stat()
      // The file was removed since the folder was read: the states then differ.
      guard lstat(file.path, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR:
        folders.append((name, try FolderCopy(from: file, states: &states, depth: depth + 1)))
      // SQLite's index of its write-ahead log, which the next reader makes anew.
      case S_IFREG where name.hasSuffix("-shm"): continue
      case S_IFREG:
        files.append(file)
        let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
        states[file.path] = FileState(
          inode: UInt64(status.st_ino), size: Int64(status.st_size),
          modified: attributes?[.modificationDate] as? Date)
      // The client makes no links or sockets.
      default: continue
      }
    }
  }

  func write(to target: URL) throws(FileStorageError) {
    try ProtectedFiles.createFolder(target)
    for file in files {
      guard let bytes = try ProtectedFiles.read(file, limit: 256 << 20) else { continue }
      try ProtectedFiles.replace(target.appendingPathComponent(file.lastPathComponent), with: bytes)
    }
    for (name, copy) in folders {
      try copy.write(to: target.appendingPathComponent(name, isDirectory: true))
    }
  }
}
