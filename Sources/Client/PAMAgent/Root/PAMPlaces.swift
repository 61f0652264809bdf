#if os(Linux)
  package import Foundation
  internal import PrivateFiles

  /// Limits how many questions may wait for one person at once. Root's services have places for everybody, and somebody who runs `sudo`
  /// again and again must not take them all.
  ///
  /// A place is a locked file in a folder of root's, because each question has a process of its own. The place is free again when that
  /// process ends, however it ends.
  package struct PAMPlaces: Sendable {
    package static let count = 3

    private let folder: URL

    /// - Parameter folder: A folder for one service only, made when it does not exist.
    package init(_ folder: URL) { self.folder = folder }

    /// Runs `body` in a place of whoever makes the request.
    ///
    /// - Returns: `nil` when no place is free; `body` was not run then.
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

    /// The owner of the places. Other hosts and accounts, which may ask only with `callers=any`, take none of the person's own places:
    /// their names have an `@`, which no user's name has.
    static func name(_ request: PAMRequest) -> String {
      if !request.remote.isEmpty { return "\(request.user)@" }
      if ["", "root", request.user].contains(request.caller) { return request.user }
      return "@\(PAMUserFile.isUser(request.caller) ? request.caller : "")"
    }
  }
#endif
