import Foundation
import NIOCore
import PrivateFiles

/// A library error that this program explains in plain words.
package protocol PlainlyExplained: Error {
  /// The reason, without a full stop.
  var plainReason: String { get }

  /// The kind of failure, for programs.
  var plainCode: CommandFailure.Code { get }
}

/// An error of a client module that carries an error of a lower framework.
package protocol CauseCarrier: Error {
  /// The lower error; `nil` when the error explains itself.
  var plainCause: (any Error)? { get }
}

/// Explains errors to users: in one sentence with a full stop, without the texts of lower frameworks.
package enum PlainReason {
  package static func of(_ error: any Error) -> String { sentence(printable(explained(error).reason)) }

  /// The kind of failure, for programs.
  package static func code(of error: any Error) -> CommandFailure.Code { explained(error).code }

  private static func explained(_ error: any Error) -> (reason: String, code: CommandFailure.Code) {
    switch error {
    case let error as CommandFailure: (error.description, error.code)
    case let error as IOError: (system(error.errnoCode), code(ofSystem: error.errnoCode))
    case let error as POSIXError: (system(error.code.rawValue), code(ofSystem: error.code.rawValue))
    case let error as any PlainlyExplained: (error.plainReason, error.plainCode)
    case let error as any CauseCarrier where error.plainCause.map(isForeign) == true:
      (error.plainCause.map(of) ?? "", .failed)
    case let error as CocoaError:
      (FileReason.of(error), FileReason.code(of: error).map(code(ofSystem:)) ?? .failed)
    case let error as FileStorageError: (error.errorMessage, code(ofStored: error))
    case let error as any LocalizedError where error.errorDescription != nil:
      (error.errorDescription ?? "", .failed)
    default: (unknown(error), .failed)
    }
  }

  /// The description of an error whose type is this program's own. Framework errors are only named, because their texts are for
  /// programmers and differ by version.
  private static func unknown(_ error: any Error) -> String {
    if isFoundations(error) {
      let known = error as NSError
      return known.domain == NSURLErrorDomain
        ? "the connection failed (\(known.code))"
        : "the system refused (\(known.domain == NSPOSIXErrorDomain ? system(Int32(known.code)) : "\(known.domain) \(known.code)"))"
    }
    let type = String(reflecting: type(of: error))
    return library(of: error).map { "\($0) failed (\(type))" } ?? "\(error)"
  }

  /// Whether the error is a framework's, or has a plain explanation.
  package static func isForeign(_ error: any Error) -> Bool {
    error is any PlainlyExplained || isFoundations(error) || library(of: error) != nil
  }

  private static func isFoundations(_ error: any Error) -> Bool {
    error is any CustomNSError || type(of: error) == NSError.self
  }

  private static func library(of error: any Error) -> String? {
    let type = String(reflecting: type(of: error))
    return libraries.first { type.hasPrefix($0.module + ".") }?.what
  }

  /// The frameworks whose errors can reach a command, each with its purpose.
  private static let libraries: [(module: String, what: String)] = [
    ("GRDB", "the database"), ("NIOSSL", "TLS"), ("AsyncHTTPClient", "the connection"),
    ("NIOCore", "the connection"),
    ("NIOPosix", "the connection"), ("NIOHTTP1", "the connection"), ("NIOHTTP2", "the connection"),
    ("Crypto", "a cryptographic operation"),
    ("CryptoExtras", "a cryptographic operation"), ("X509", "reading a certificate"),
    ("SwiftASN1", "reading a certificate"),
    ("Yams", "reading YAML"), ("CurlTransfers", "the connection"), ("JourneyStorePostgres", "PostgreSQL"),
  ]

  /// A framework's error as a failure in plain words; other errors unchanged.
  package static func failure(_ error: any Error) -> any Error {
    switch error {
    case let error as any PlainlyExplained:
      CommandFailure("No connection: \(of(error))", code: error.plainCode)
    case is IOError, is POSIXError, is CocoaError:
      CommandFailure(of(error), code: code(of: error))
    case is CommandFailure, is any LocalizedError: error
    default:
      isForeign(error) ? CommandFailure(of(error), code: code(of: error)) : error
    }
  }

  /// The kind of a storage error. Its reason is only the system's text for `errno`, so the number is found by that text.
  private static func code(ofStored error: FileStorageError) -> CommandFailure.Code {
    switch error {
    case .exists: .conflict
    case .locked: .busy
    case .unprotected: .forbidden
    case .unreadable(_, let reason), .unwritable(_, let reason):
      (1..<256).first { system($0) == reason }.map(code(ofSystem:)) ?? .failed
    }
  }

  /// The kind of failure for an `errno`.
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

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }
}
