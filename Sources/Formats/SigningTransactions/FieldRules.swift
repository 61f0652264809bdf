internal import Bytes
internal import Foundation

/// The rules for each part of a transaction.
enum FieldRules {
  /// Longest value in code points, after normalization.
  static func maximumLength(of name: Transaction.FieldName) -> Int {
    switch name {
    case .amount: 25
    case .currency: 3
    case .payee: 140
    case .account: 64
    case .text: 500
    }
  }

  /// `value` in Normalization Form C.
  static func checked(_ value: String, as name: Transaction.FieldName) throws(TransactionError) -> String {
    let limit = maximumLength(of: name)
    // Bytes are checked first, so that a far too long value is not normalized or counted. Form C shortens to no less than a third.
    guard value.utf8.count <= limit * 12 else { throw .invalid(name, .tooLong(limit)) }
    let text = value.precomposedStringWithCanonicalMapping
    guard !text.isEmpty else { throw .invalid(name, .empty) }
    guard text.unicodeScalars.count <= limit else { throw .invalid(name, .tooLong(limit)) }
    switch name {
    case .amount: guard isDecimal(text) else { throw .invalid(name, .notDecimal) }
    case .currency: guard isCurrency(text) else { throw .invalid(name, .notCurrency) }
    case .account:
      guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .invalid(name, .notASCII) }
      try checkVisible(text, as: name)
    case .payee, .text: try checkVisible(text, as: name)
    }
    return text
  }

  /// `0`, or digits without a leading zero; then, with a point, 1 to 9 digits more.
  private static func isDecimal(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), let whole = parts.first, (1...15).contains(whole.count),
      whole.count == 1 || whole.first != UInt8(ascii: "0"),
      parts.count == 1 || (1...9).contains(parts[1].count)
    else { return false }
    return parts.allSatisfy { $0.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } }
  }

  private static func isCurrency(_ text: String) -> Bool {
    text.utf8.count == 3 && text.utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
  }

  /// Refuses what is invisible, or shows in another place or as something else.
  private static func checkVisible(_ text: String, as name: Transaction.FieldName) throws(TransactionError) {
    var afterSpace = true
    for (index, scalar) in text.unicodeScalars.enumerated() {
      if let fault = fault(of: scalar, isFirst: index == 0) { throw .invalid(name, fault) }
      if scalar == " ", afterSpace { throw .invalid(name, .spaces) }
      afterSpace = scalar == " "
    }
    if afterSpace { throw .invalid(name, .spaces) }
    guard text.allSatisfy({ $0.unicodeScalars.count <= Character.mostScalars }) else {
      throw .invalid(name, .stackedMarks)
    }
  }

  private static func fault(of scalar: Unicode.Scalar, isFirst: Bool) -> TransactionError.Fault? {
    guard scalar == " " || scalar.lineRole == .shown else { return .hiddenCharacter(scalar.value) }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: return isFirst ? .stackedMarks : nil
    default: return nil
    }
  }
}
