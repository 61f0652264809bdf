import Foundation
import StrictJSON

/// An account from one record of a file: the body of the request that creates it.
struct ImportedAccount {
  let body: JSONObject

  /// The reason why a record does not describe an account.
  struct Fault: Error { let reason: String }

  /// Columns and members with a special meaning, in any case; all others are attributes.
  private static let members = [
    "username": "username", "name": "username", "mail": "mail", "email": "mail", "password": "userpassword",
    "userpassword": "userpassword", "passwordhash": "userpasswordhash",
    "userpasswordhash": "userpasswordhash",
    "status": "inetUserStatus", "inetuserstatus": "inetUserStatus", "pwdreset": "pwdReset",
  ]

  /// Reads a line of JSON Lines.
  init(json bytes: [UInt8]) throws(Fault) {
    guard let object = (try? JSONValue(parsing: bytes))?.objectValue else {
      throw Fault(reason: "it is not a JSON object")
    }
    try self.init(Array(object.map { ($0.name, $0.value) }))
  }

  /// Reads a CSV record under its columns; an empty cell sets nothing. Semicolons separate several mail addresses.
  init(cells: [String], columns: [String]) throws(Fault) {
    guard cells.count == columns.count else {
      throw Fault(reason: "it has \(cells.count) cells, and the header \(columns.count)")
    }
    var members: [(String, JSONValue)] = []
    for (column, cell) in zip(columns, cells) where !cell.isEmpty {
      let isMail = Self.members[column.lowercased()] == "mail"
      let addresses = cell.split(separator: ";").map {
        JSONValue.string($0.trimmingCharacters(in: .whitespaces))
      }
      members.append((column, isMail ? .array(addresses) : .string(cell)))
    }
    try self.init(members)
  }

  private init(_ given: [(String, JSONValue)]) throws(Fault) {
    var body = JSONObject()
    for (name, value) in given {
      let member = Self.members[name.lowercased()] ?? name
      guard body[member] == nil else { throw Fault(reason: "it gives \(name) twice") }
      body[member] = value
    }
    guard let username = body["username"]?.stringValue, !username.isEmpty else {
      throw Fault(reason: "it has no username")
    }
    self.body = body
  }

  /// Splits a CSV record into cells (RFC 4180).
  static func cells(of bytes: [UInt8]) throws(Fault) -> [String] {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault(reason: "it is not UTF-8") }
    var cells: [String] = []
    var rest = Substring(text)
    while true {
      if rest.unicodeScalars.first == "\"" {
        cells.append(try quoted(&rest))
      } else {
        let end = rest.unicodeScalars.firstIndex(of: ",") ?? rest.endIndex
        guard !rest[..<end].unicodeScalars.contains("\"") else {
          throw Fault(reason: "a cell has a quotation mark but does not begin with one")
        }
        cells.append(String(rest[..<end]))
        rest = rest[end...]
      }
      guard let next = rest.unicodeScalars.first else { return cells }
      guard next == "," else { throw Fault(reason: "text follows a closing quotation mark") }
      rest = Substring(rest.unicodeScalars.dropFirst())
    }
  }

  /// Takes a quoted cell; a doubled quotation mark in it stands for one.
  private static func quoted(_ rest: inout Substring) throws(Fault) -> String {
    var cell = String.UnicodeScalarView()
    var scalars = rest.unicodeScalars.dropFirst()
    while let scalar = scalars.popFirst() {
      guard scalar == "\"" else {
        cell.append(scalar)
        continue
      }
      guard scalars.first == "\"" else {
        rest = Substring(scalars)
        return String(cell)
      }
      cell.append(scalars.removeFirst())
    }
    throw Fault(reason: "a quotation mark is not closed")
  }
}
