import Foundation
import NIOCore
import PrivateFiles

/// An error of a library that has plain words for people elsewhere.
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
    case is IOError, is POSIXError, is CocoaError: CommandFailure("It failed: \(of(error))")
    default: error
    }
  }

  private static func system(_ code: Int32) -> String { String(cString: strerror(code)) }
}
