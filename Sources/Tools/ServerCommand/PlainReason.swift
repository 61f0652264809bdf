import Foundation
import NIOCore
import PrivateFiles

/// An error of a library that this program puts into plain words.
package protocol PlainlyExplained: Error {
  /// Without a full stop.
  var plainReason: String { get }

  /// What programs are told.
  var plainCode: CommandFailure.Code { get }
}

/// Why something failed, for people: in one sentence with a full stop, without the words of the frameworks below.
package enum PlainReason {
  package static func of(_ error: any Error) -> String {
    let text =
      switch error {
      case let error as CommandFailure: error.description
      case let error as IOError: system(error.errnoCode)
      case let error as POSIXError: system(error.code.rawValue)
      case let error as any PlainlyExplained: error.plainReason
      case let error as CocoaError: FileReason.of(error)
      case let error as any LocalizedError where error.errorDescription != nil: error.errorDescription ?? ""
      default: "\(error)"
      }
    return sentence(printable(text))
  }

  /// A framework's error as a failure in plain words; others as they are.
  package static func failure(_ error: any Error) -> any Error {
    switch error {
    case let error as any PlainlyExplained:
      CommandFailure("No connection: \(of(error))", code: error.plainCode)
    case is IOError, is POSIXError, is CocoaError:
      CommandFailure("It failed: \(of(error))", code: code(of: error))
    default: error
    }
  }

  /// The kind of failure, for programs.
  package static func code(of error: any Error) -> CommandFailure.Code {
    switch error {
    case let error as CommandFailure: error.code
    case let error as any PlainlyExplained: error.plainCode
    case let error as IOError: code(ofSystem: error.errnoCode)
    case let error as POSIXError: code(ofSystem: error.code.rawValue)
    case let error as CocoaError: code(ofFile: error)
    case let error as FileStorageError: code(ofStored: error)
    default: .failed
    }
  }

  /// These errors have only the system's words for `errno`, which stand for one number.
  private static func code(ofStored error: FileStorageError) -> CommandFailure.Code {
    switch error {
    case .exists: .conflict
    case .locked: .busy
    case .unprotected: .forbidden
    case .unreadable(_, let reason), .unwritable(_, let reason):
      (1..<256).first { system($0) == reason }.map(code(ofSystem:)) ?? .failed
    }
  }

  /// The kind of failure that `errno` stands for.
  package static func code(ofSystem code: Int32) -> CommandFailure.Code {
    switch code {
    case ENOENT, ENOTDIR: .notFound
    case EACCES, EPERM, EROFS: .forbidden
    case EEXIST, EADDRINUSE, ENOTEMPTY: .conflict
    case EISDIR: .invalid
    case ECONNREFUSED, ECONNRESET, EHOSTUNREACH, ENETUNREACH, ETIMEDOUT: .unreachable
    default: .failed
    }
  }

  private static func code(ofFile error: CocoaError) -> CommandFailure.Code {
    if let code = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)?.code {
      return self.code(ofSystem: code.rawValue)
    }
    return switch error.code {
    case .fileNoSuchFile, .fileReadNoSuchFile: .notFound
    case .fileReadNoPermission, .fileWriteNoPermission, .fileWriteVolumeReadOnly: .forbidden
    case .fileWriteFileExists: .conflict
    default: .failed
    }
  }

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }
}
