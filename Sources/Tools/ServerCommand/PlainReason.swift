import Foundation
import NIOCore
import PingNetwork

/// Why something failed, for people: in one sentence with a full stop, without the words of the frameworks below.
package enum PlainReason {
  package static func of(_ error: any Error) -> String {
    let text =
      switch error {
      case let error as CommandFailure: error.description
      case let error as IOError: system(error.errnoCode)
      case let error as POSIXError: system(error.code.rawValue)
      case let error as NetworkError: network(error)
      case let error as URLError: connection(error)
      case let error as CocoaError: file(error)
      case let error as any LocalizedError where error.errorDescription != nil: error.errorDescription ?? ""
      default: "\(error)"
      }
    return sentence(printable(text))
  }

  /// A framework's error as a failure in plain words; others as they are.
  package static func failure(_ error: any Error) -> any Error {
    switch error {
    case is URLError, is NetworkError: CommandFailure("No connection: \(of(error))", code: .unreachable)
    case is IOError, is POSIXError, is CocoaError: CommandFailure("It failed: \(of(error))")
    default: error
    }
  }

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }

  private static func network(_ error: NetworkError) -> String {
    switch error {
    case .networkUnavailable: "nothing answers at that address"
    case .timeout: "it did not answer in time"
    case .cancelled: "the request was cancelled"
    case .invalidRequest(let reason), .invalidResponse(let reason): reason
    }
  }

  private static func connection(_ error: URLError) -> String {
    switch error.code {
    case .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet:
      "nothing answers at that address"
    case .cannotFindHost, .dnsLookupFailed: "there is no machine of that name"
    case .timedOut: "it did not answer in time"
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid:
      "its TLS certificate is not trusted, or it speaks no TLS"
    case .cancelled: "the request was cancelled"
    default: "the connection failed (\(error.code.rawValue))"
    }
  }

  private static func file(_ error: CocoaError) -> String {
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
}
