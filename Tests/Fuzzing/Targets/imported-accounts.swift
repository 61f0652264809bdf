import StrictJSON

extension FuzzTarget {
  /// Accounts to import, as CSV and as JSON: cells survive writing, and each account has a name.
  static let importedAccounts = FuzzTarget { bytes in
    if let account = try? ImportedAccount(json: bytes) {
      expect(account.body["username"]?.stringValue?.isEmpty == false, "an account has no name")
    }
    guard let cells = try? ImportedAccount.cells(of: bytes) else { return }
    // By scalars: a mark that combines with a quotation mark makes another character of it, and the same byte.
    let written = cells.map { cell in
      "\"" + cell.unicodeScalars.map { $0 == "\"" ? "\"\"" : String($0) }.joined() + "\""
    }.joined(separator: ",")
    expect((try? ImportedAccount.cells(of: Array(written.utf8))) == cells, "cells change: \(cells)")
    let columns = ["username", "mail", "status"]
    if let account = try? ImportedAccount(cells: cells, columns: columns) {
      expect(account.body["username"]?.stringValue?.isEmpty == false, "an account has no name")
    }
  }
}
