internal import Foundation

extension HealthCheck {
  /// Checks who owns a file or folder, and who may do what with it. Links are not followed.
  ///
  /// - Parameter isFolder: whether the path should be a folder, not a file.
  package static func rights(_ check: Subject, of path: String, isFolder: Bool) -> HealthCheck {
    let attributes: [FileAttributeKey: Any]
    do { attributes = try FileManager.default.attributesOfItem(atPath: path) } catch {
      return FileManager.default.fileExists(atPath: path)
        ? check(.failed, text: "checks.noAccess", ["path": path])
        : check(.failed, text: "checks.noFile", ["path": path])
    }
    guard attributes[.type] as? FileAttributeType == (isFolder ? .typeDirectory : .typeRegular) else {
      return isFolder
        ? check(.failed, text: "checks.notFolder", ["path": path])
        : check(.failed, text: "checks.notFile", ["path": path])
    }
    let mode = (attributes[.posixPermissions] as? NSNumber)?.intValue ?? 0o777
    guard mode & 0o077 == 0 else {
      return check(
        .failed, text: "checks.openToOthers",
        ["path": path, "mode": String(mode & 0o777, radix: 8), "right": isFolder ? "700" : "600"])
    }
    let owner = (attributes[.ownerAccountID] as? NSNumber)?.uint32Value
    guard geteuid() == 0 || owner == geteuid() else {
      return check(.failed, text: "checks.foreignOwner", ["path": path])
    }
    return check(.ok, text: "checks.ownerOnly", ["path": path])
  }
}
