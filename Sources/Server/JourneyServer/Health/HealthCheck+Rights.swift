internal import Foundation

extension HealthCheck {
  /// Who owns a file or folder, and who may do what with it. Links are not followed.
  ///
  /// - Parameter isFolder: what it should be.
  package static func rights(_ id: String, _ name: String, of path: String, isFolder: Bool) -> HealthCheck {
    let check = Subject(id, name)
    let attributes: [FileAttributeKey: Any]
    do { attributes = try FileManager.default.attributesOfItem(atPath: path) } catch {
      let isThere = FileManager.default.fileExists(atPath: path)
      return check(
        .failed, "\(path) \(isThere ? "cannot be inspected" : "does not exist")",
        advice: "Check the path, and who may read it.")
    }
    guard attributes[.type] as? FileAttributeType == (isFolder ? .typeDirectory : .typeRegular) else {
      return check(
        .failed, "\(path) is not a \(isFolder ? "folder" : "regular file")",
        advice: "Put \(isFolder ? "a folder" : "the file itself") there; links are not followed.")
    }
    let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
    guard mode & 0o077 == 0 else {
      return check(
        .failed, "other users have access to \(path) (mode \(String(mode & 0o777, radix: 8)))",
        advice: "Run: chmod \(isFolder ? "700" : "600") \(path)")
    }
    let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
    guard geteuid() == 0 || owner == geteuid() else {
      return check(
        .failed, "\(path) belongs to another user",
        advice: "Run this as its owner, or give it to yourself with chown.")
    }
    return check(.ok, "\(path), for its owner only")
  }
}
