internal import Foundation

/// Why something cannot be a transaction. The text may be shown to the application that sent it.
public enum TransactionError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A part is invalid.
  case invalid(Transaction.FieldName, Fault)

  /// There is no part.
  case empty

  /// There is an amount without a currency, or a currency without an amount.
  case amountWithoutCurrency

  /// A member of the JSON object is not one of the parts.
  case unknownField

  /// What is wrong with a part.
  public enum Fault: Sendable, Hashable {
    case notText
    case empty
    /// Longer than this many characters.
    case tooLong(Int)
    case notDecimal
    case notCurrency
    case notASCII
    /// A code point that is invisible, or changes where others are shown.
    case hiddenCharacter(UInt32)
    /// A space at the beginning or the end, or two in a row.
    case spaces
    /// Combining marks without a character below them, or too many of them on one.
    case stackedMarks
  }

  public var description: String {
    switch self {
    case .invalid(let name, let fault): "The transaction's \(name.rawValue) \(fault.description)."
    case .empty:
      "The transaction is empty. Give an amount and currency, a payee, an account or a text."
    case .amountWithoutCurrency: "An amount needs a currency, and a currency needs an amount."
    case .unknownField:
      "A transaction has only the members \(Transaction.FieldName.allCases.map(\.rawValue).joined(separator: ", "))."
    }
  }
}

extension TransactionError.Fault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notText: "must be text, even for numbers"
    case .empty: "must not be empty; leave it out"
    case .tooLong(let limit): "must have at most \(limit) characters"
    case .notDecimal:
      "must be a decimal number such as 1250.00: no sign, no grouping, no leading zeros, at most 15 digits and 9 decimals"
    case .notCurrency: "must be three capital letters such as EUR"
    case .notASCII: "must be printable ASCII"
    case .hiddenCharacter(let code):
      "must not contain U+\(String(format: "%04X", code)), which is invisible or changes how the text is shown"
    case .spaces: "must not begin or end with a space, or have two in a row"
    case .stackedMarks: "must not have combining marks at its beginning or many on one character"
    }
  }
}
