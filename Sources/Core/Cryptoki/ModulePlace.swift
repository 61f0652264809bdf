internal import Foundation

/// The path of a PKCS#11 module that only this user and the administrator can change. Anyone else who could change it would run code in
/// this process and read PINs.
package struct ModulePlace: Sendable {
  /// The path without symbolic links.
  package let resolved: String

  /// - Throws: ``CryptokiError`` for a path that is not absolute, for a file that is missing or not regular, and for a file or folder
  ///   on the path that belongs to another user or that others may write to. A sticky folder such as `/tmp` may be on the path, because
  ///   nobody there can replace another user's files. The module's own folder may not be writable by others.
  package init(_ path: String) throws(CryptokiError) {
    func refusal(_ reason: String) -> CryptokiError { CryptokiError(path: path, reason: reason) }
    guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw refusal("its path must begin with /") }
    guard let pointer = realpath(path, nil) else {
      throw refusal(String(cString: strerror(errno)))
    }
    resolved = String(cString: pointer)
    free(pointer)
    // The links on the named path are checked, too: replacing one would choose another library.
    for whole in Set([path, resolved]) {
      let names = whole.split(separator: "/").map(String.init)
      for count in 0...names.count {
        let place = "/" + names.prefix(count).joined(separator: "/")
        if let reason = Self.problem(place, isFolderOfModule: count == names.count - 1) {
          throw refusal(reason)
        }
      }
    }
    var status = stat()
    guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal("it is not a file")
    }
  }

  /// Why another user could change `place`; `nil` when none can.
  private static func problem(_ place: String, isFolderOfModule: Bool) -> String? {
    var status = stat()
    guard lstat(place, &status) == 0 else { return "\(place): \(String(cString: strerror(errno)))" }
    guard [0, geteuid()].contains(status.st_uid) else { return "\(place) belongs to another user" }
    // Links have no permissions of their own.
    if status.st_mode & S_IFMT == S_IFLNK { return nil }
    // An administrator's group, such as Debian's `staff` in /usr/local, is the administrator's decision.
    let others: mode_t = status.st_uid == 0 ? 0o002 : 0o022
    guard status.st_mode & others != 0 else { return nil }
    let isSticky = status.st_mode & S_IFMT == S_IFDIR && status.st_mode & 0o1000 != 0
    guard !isSticky || isFolderOfModule else { return nil }
    return
      "other users may write to \(place), and what they put there would run in this program; run: chmod go-w \(place)"
  }
}
