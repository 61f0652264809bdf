package import Foundation

/// Why a file or folder could not be used, in words for users: the system's text, without the words of the frameworks.
package enum FileReason {
  /// A sentence with a full stop, such as `No such file or directory.`
  package static func of(_ error: any Error) -> String {
    switch error {
    case let error as CocoaError:
      (code(of: error).map(system) ?? "the file cannot be used (\(error.code.rawValue))") + "."
    case let error as POSIXError: system(error.code.rawValue) + "."
    default: error.localizedDescription
    }
  }

  /// The system's error number behind an error of Foundation's; `nil` when there is none.
  package static func code(of error: CocoaError) -> Int32? {
    if let code = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code { return code.rawValue }
    return switch error.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: ENOENT
    case .fileReadNoPermission, .fileWriteNoPermission: EACCES
    case .fileWriteFileExists: EEXIST
    case .fileWriteOutOfSpace: ENOSPC
    case .fileWriteVolumeReadOnly: EROFS
    default: nil
    }
  }

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }
}
