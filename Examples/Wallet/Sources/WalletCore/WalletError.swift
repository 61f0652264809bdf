import Foundation
import PingBinding

/// Why the wallet did not do what it was asked, in a sentence for the person.
public enum WalletError: LocalizedError, Sendable {
  /// The device's side of binding or signing failed.
  case device(DeviceBindingStatus)
  /// The server refused.
  case refused(String)
  /// The server was not reached.
  case unreachable(String)
  /// The journey asks for something that this wallet does not know.
  case unexpectedQuestion(String)
  /// The account has less than that.
  case insufficientFunds

  public var errorDescription: String? {
    switch self {
    case .device(.abort): "Cancelled."
    case .device(.timeout): "That took too long. Try again."
    case .device(.unAuthorize): "The PIN is wrong."
    case .device(.clientNotRegistered): "This device has no key for that account. Bind it first."
    case .device(let status): "This device cannot do that: \(status.errorMessage)"
    case .refused(let reason): "The server refused: \(reason). Check name and password."
    case .unreachable(let reason): "The server was not reached: \(reason)"
    case .unexpectedQuestion(let type): "The server asks for \(type), which this wallet does not know."
    case .insufficientFunds: "The account has less than that."
    }
  }
}
