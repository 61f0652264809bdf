internal import Foundation

/// Where a PKCS#11 module is, once it is certain that only this user and the administrator can change it: whoever can, runs code in this
/// process and reads PINs.
package struct ModulePlace: Sendable {
  /// The path without symbolic links.
  package let resolved: String

  /// - Throws: ``CryptokiError`` for a path that is not absolute, a file that is not there or not a regular one, and a file or folder on the
  ///   way that belongs to another user, or that others may write to. A folder like `/tmp` may be on the way: there nobody replaces what is
  ///   another's. The module's own folder may not be one.
  package init(_ path: String) throws(CryptokiError) {
    func refusal(_ reason: String) -> CryptokiError { CryptokiError(path: path, reason: reason) }
    guard path.hasPrefix("/"), !path.utf8.contains(0) else { throw refusal("its path must begin with /") }
    guard let pointer = realpath(path, nil) else {
      throw refusal(String(cString: strerror(errno)))
    }
    resolved = String(cString: pointer)
    free(pointer)
    // Links on the named path as well: who can replace one chooses another library.
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

  /// Why somebody else could change what `place` is.
  private static func problem(_ place: String, isFolderOfModule: Bool) -> String? {
    var status = stat()
    guard lstat(place, &status) == 0 else { return "\(place): \(String(cString: strerror(errno)))" }
    guard [0, geteuid()].contains(status.st_uid) else { return "\(place) belongs to another user" }
    // Links have no rights of their own.
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
