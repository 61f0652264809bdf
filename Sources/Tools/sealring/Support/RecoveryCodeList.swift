/// Recovery codes as a server shows them to clients without a page: one a line.
enum RecoveryCodeList {
  /// What stands above them.
  static let introduction =
    "Recovery codes, shown once. Each signs you in once without this device.\nKeep them where others do not find them."

  /// Whether a server's message is such a list: several words of one length, a line each, of letters, digits and hyphens.
  static func isOne(_ message: String) -> Bool {
    let lines = message.split(whereSeparator: \.isNewline)
    guard lines.count >= 2, let length = lines.first?.count, (6...64).contains(length) else { return false }
    return lines.allSatisfy { line in
      line.count == length && line.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
    }
  }
}
