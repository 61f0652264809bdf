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

/// An error of a client module that carries the one of a framework below it.
package protocol CauseCarrier: Error {
  /// What happened below; `nil` when the error says it itself.
  var plainCause: (any Error)? { get }
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
      case let error as any CauseCarrier where error.plainCause.map(isForeign) == true:
        error.plainCause.map(of) ?? ""
      case let error as CocoaError: FileReason.of(error)
      case let error as any LocalizedError where error.errorDescription != nil: error.errorDescription ?? ""
      default: unknown(error)
      }
    return sentence(printable(text))
  }

  /// What an error says of itself, when its type is this program's; frameworks' errors are named only, since their texts speak to those who
  /// program with them, and differ by version.
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

  /// Whether the error is not one of this program's own, or is one that it has words for.
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

  /// The frameworks whose errors can reach a command, and what they do for it.
  private static let libraries: [(module: String, what: String)] = [
    ("GRDB", "the database"), ("NIOSSL", "TLS"), ("AsyncHTTPClient", "the connection"),
    ("NIOCore", "the connection"),
    ("NIOPosix", "the connection"), ("NIOHTTP1", "the connection"), ("NIOHTTP2", "the connection"),
    ("Crypto", "a cryptographic operation"),
    ("CryptoExtras", "a cryptographic operation"), ("X509", "reading a certificate"),
    ("SwiftASN1", "reading a certificate"),
    ("Yams", "reading YAML"), ("CurlTransfers", "the connection"), ("JourneyStorePostgres", "PostgreSQL"),
  ]

  /// A framework's error as a failure in plain words; others as they are.
  package static func failure(_ error: any Error) -> any Error {
    switch error {
    case let error as any PlainlyExplained:
      CommandFailure("No connection: \(of(error))", code: error.plainCode)
    case is IOError, is POSIXError, is CocoaError:
      CommandFailure(sentence(of(error)), code: code(of: error))
    case is CommandFailure, is any LocalizedError: error
    default:
      isForeign(error) ? CommandFailure(sentence(of(error)), code: code(of: error)) : error
    }
  }

  /// The kind of failure, for programs.
  package static func code(of error: any Error) -> CommandFailure.Code {
    switch error {
    case let error as CommandFailure: error.code
    case let error as any PlainlyExplained: error.plainCode
    case let error as IOError: code(ofSystem: error.errnoCode)
    case let error as POSIXError: code(ofSystem: error.code.rawValue)
    case let error as CocoaError: FileReason.code(of: error).map(code(ofSystem:)) ?? .failed
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

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }
}
