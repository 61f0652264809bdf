import Foundation

/// Why the approver did not do what it was asked, in a sentence for the person.
enum ApproverError: LocalizedError {
  case cancelled
  case unknownAddress
  case unknownCredential(String)
  case refused(String)
  case unreachable(String)
  case unexpectedQuestion(String)

  var errorDescription: String? {
    switch self {
    case .cancelled: "Cancelled."
    case .unknownAddress: "An address begins with pushauth://, otpauth:// or mfauth://."
    case .unknownCredential(let id): "There is no credential \(id). approver list shows them."
    case .refused(let reason): "The server refused: \(reason). Check name and password."
    case .unreachable(let reason): "The server was not reached: \(reason)"
    case .unexpectedQuestion(let type): "The server asks for \(type), which the approver does not know."
    }
  }
}
