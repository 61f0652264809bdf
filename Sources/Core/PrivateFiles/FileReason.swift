internal import Foundation

/// Why a file or a folder could not be used, for people: what the system says about it, without the words of the frameworks.
package enum FileReason {
  /// A sentence with a full stop, such as `No such file or directory.`
  package static func of(_ error: any Error) -> String {
    switch error {
    case let error as CocoaError: of(error) + "."
    case let error as POSIXError: system(error.code.rawValue) + "."
    default: error.localizedDescription
    }
  }

  private static func of(_ error: CocoaError) -> String {
    if let code = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code { return system(code.rawValue) }
    return switch error.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: system(ENOENT)
    case .fileReadNoPermission, .fileWriteNoPermission: system(EACCES)
    case .fileWriteFileExists: system(EEXIST)
    case .fileWriteOutOfSpace: system(ENOSPC)
    case .fileWriteVolumeReadOnly: system(EROFS)
    default: "the file cannot be used (\(error.code.rawValue))"
    }
  }

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }
}
