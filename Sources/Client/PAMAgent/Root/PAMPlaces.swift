#if os(Linux)
  package import Foundation
  internal import PrivateFiles

  /// How many questions may wait for one person at once: root's services have places for everybody, and somebody who opens `sudo` again and
  /// again must not take them all.
  ///
  /// A place is a locked file in a folder of root's, because each question has a process of its own. It is free again when that process ends,
  /// however it does.
  package struct PAMPlaces: Sendable {
    package static let count = 3

    private let folder: URL

    /// - Parameter folder: Made when it is not there; for one service only.
    package init(_ folder: URL) { self.folder = folder }

    /// Runs `body` in a place of whoever asks.
    ///
    /// - Returns: `nil` when none is free: then `body` was not run.
    package func withPlace<Result>(for request: PAMRequest, _ body: () async throws -> Result) async throws
      -> Result?
    {
      let rights: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: rights)
      let name = Self.name(request)
      for number in 1...Self.count {
        var isTaken = true
        do {
          return try await FileLock(file: folder.appending(path: "\(name).\(number)"), attempts: 1).withLock {
            isTaken = false
            return try await body()
          }
        } catch FileStorageError.locked where isTaken {}
      }
      return nil
    }

    /// Whose the places are. Other hosts and accounts, which only `callers=any` lets ask, take none of the person's own; no user is called
    /// like theirs.
    static func name(_ request: PAMRequest) -> String {
      if !request.remote.isEmpty { return "\(request.user)@" }
      if ["", "root", request.user].contains(request.caller) { return request.user }
      return "@\(PAMUserFile.isUser(request.caller) ? request.caller : "")"
    }
  }
#endif
