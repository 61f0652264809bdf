internal import Foundation
internal import PrivateFiles

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
    guard path.utf8.first == UInt8(ascii: "/"), !path.utf8.contains(0) else {
      throw refusal("its path must begin with /")
    }
    guard let pointer = realpath(path, nil) else {
      throw refusal(String(cString: strerror(errno)))
    }
    resolved = String(cString: pointer)
    free(pointer)
    // The links are checked, too, with all that they lead through: replacing one would choose another library.
    do {
      for place in try PathWalk(path).places {
        if let reason = Self.problem(place) { throw refusal(reason) }
      }
    } catch let error as CryptokiError {
      throw error
    } catch {
      throw refusal(FileReason.of(error))
    }
    var status = stat()
    guard stat(resolved, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw refusal("it is not a file")
    }
  }

  /// Why another user could change `place`; `nil` when none can.
  private static func problem(_ place: PathWalk.Place) -> String? {
    guard [0, geteuid()].contains(place.owner) else { return "\(place.path) belongs to another user" }
    guard !place.isLink else { return nil }
    // An administrator's group, such as Debian's `staff` in /usr/local, is the administrator's decision.
    let others: UInt32 = place.owner == 0 ? 0o002 : 0o022
    guard place.mode & others != 0 else { return nil }
    let isSticky = place.isFolder && place.mode & 0o1000 != 0
    guard !isSticky || place.isLastFolder else { return nil }
    return
      "other users may write to \(place.path), and what they put there would run in this program; run: chmod go-w \(place.path)"
  }
}
