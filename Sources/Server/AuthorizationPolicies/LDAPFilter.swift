internal import Bytes
package import StrictJSON

/// A filter on an account's record in the form of RFC 4515: `(&(mail=*@example.com)(!(accountStatus=inactive)))`.
///
/// Texts compare without regard to case; numbers by their values where both sides are numbers. Extended matches (`:=`) are not supported.
package indirect enum LDAPFilter: Sendable {
  case and([LDAPFilter])
  case or([LDAPFilter])
  case not(LDAPFilter)
  case present(String)
  case equal(String, String)
  case atLeast(String, String)
  case atMost(String, String)

  /// The texts between the asterisks; the first and last may be empty.
  case substrings(String, [String])

  /// - Throws: ``JSONFault``, which says where the filter is malformed.
  package init(parsing text: String) throws(JSONFault) {
    var reader = Reader(text)
    self = try reader.filter(depth: 0)
    guard reader.rest.isEmpty else { throw JSONFault("has something after its last parenthesis") }
  }

  /// - Parameter values: returns the values of an attribute as texts.
  func matches(
    _ values: (String) -> [String], _ budget: inout PolicyBudget
  ) throws(PolicyRequestError) -> Bool {
    switch self {
    case .and(let parts):
      for part in parts where try !part.matches(values, &budget) { return false }
      return true
    case .or(let parts):
      for part in parts where try part.matches(values, &budget) { return true }
      return false
    case .not(let part): return try !part.matches(values, &budget)
    case .present(let name): return !values(name).isEmpty
    case .equal(let name, let wanted):
      return try found(name, wanted, values, &budget) { $0 == wanted }
    case .atLeast(let name, let wanted):
      return try found(name, wanted, values, &budget) { Self.order($0, wanted) >= 0 }
    case .atMost(let name, let wanted):
      return try found(name, wanted, values, &budget) { Self.order($0, wanted) <= 0 }
    case .substrings(let name, let parts):
      return try found(name, parts.joined(), values, &budget) { Self.contains($0, parts) }
    }
  }

  private func found(
    _ name: String, _ wanted: String, _ values: (String) -> [String], _ budget: inout PolicyBudget,
    _ fits: (String) -> Bool
  ) throws(PolicyRequestError) -> Bool {
    for value in values(name) {
      // Searching for the parts costs at most the product of both lengths; accounts have short values.
      try budget.spend((value.utf8.count + 1) * (wanted.utf8.count + 1))
      if fits(value.lowercased()) { return true }
    }
    return false
  }

  private static func order(_ one: String, _ other: String) -> Int {
    if let one = Double(one), let other = Double(other) { return one == other ? 0 : one < other ? -1 : 1 }
    return one == other ? 0 : one < other ? -1 : 1
  }

  /// Whether the first part begins the value, the last ends it, and the others occur between them in order. The earliest match is the
  /// best.
  private static func contains(_ value: String, _ parts: [String]) -> Bool {
    guard let first = parts.first, let last = parts.last, parts.count > 1 else { return false }
    var rest = Array(value.utf8)[...]
    guard rest.starts(with: first.utf8) else { return false }
    rest = rest.dropFirst(first.utf8.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      let part = Array(part.utf8)
      guard
        let place = rest.indices.first(where: { rest[$0...].starts(with: part) })
      else { return false }
      rest = rest[(place + part.count)...]
    }
    return rest.count >= last.utf8.count && rest.suffix(last.utf8.count).elementsEqual(last.utf8)
  }

  private struct Reader {
    private let bytes: [UInt8]
    var rest: ArraySlice<UInt8>
    private var count = 0

    init(_ text: String) {
      bytes = Array(text.utf8)
      rest = bytes[...]
    }

    mutating func filter(depth: Int) throws(JSONFault) -> LDAPFilter {
      guard depth < PolicyLimits.depth else { throw JSONFault("nests deeper than \(PolicyLimits.depth)") }
      count += 1
      guard count <= PolicyLimits.parts else { throw JSONFault("has more than \(PolicyLimits.parts) parts") }
      try take("(")
      let filter: LDAPFilter
      switch rest.first {
      case UInt8(ascii: "&"): filter = .and(try parts(depth: depth))
      case UInt8(ascii: "|"): filter = .or(try parts(depth: depth))
      case UInt8(ascii: "!"):
        rest.removeFirst()
        filter = .not(try self.filter(depth: depth + 1))
      default: filter = try item()
      }
      try take(")")
      return filter
    }

    private mutating func parts(depth: Int) throws(JSONFault) -> [LDAPFilter] {
      rest.removeFirst()
      var parts: [LDAPFilter] = []
      while rest.first == UInt8(ascii: "(") { parts.append(try filter(depth: depth + 1)) }
      guard !parts.isEmpty else { throw JSONFault("has a list without parts") }
      return parts
    }

    private mutating func item() throws(JSONFault) -> LDAPFilter {
      let name = rest.prefix { $0.isASCIILetterOrDigit || "-_.;".utf8.contains($0) }
      guard !name.isEmpty, let attribute = String(validating: name, as: UTF8.self) else {
        throw JSONFault("needs the name of an attribute after a parenthesis")
      }
      rest = rest[name.endIndex...]
      let mark = rest.first
      if mark == UInt8(ascii: "<") || mark == UInt8(ascii: ">") || mark == UInt8(ascii: "~") {
        rest.removeFirst()
      }
      guard rest.first == UInt8(ascii: "=") else {
        throw JSONFault("needs =, >=, <= or ~= after \(attribute); extended matches are not read")
      }
      rest.removeFirst()
      let value = try value()
      switch mark {
      case UInt8(ascii: ">"): return .atLeast(attribute, try whole(value))
      case UInt8(ascii: "<"): return .atMost(attribute, try whole(value))
      case UInt8(ascii: "~"): return .equal(attribute, try whole(value))
      default: break
      }
      if value == ["", ""] { return .present(attribute) }
      return value.count == 1 ? .equal(attribute, value[0]) : .substrings(attribute, value)
    }

    private func whole(_ parts: [String]) throws(JSONFault) -> String {
      guard parts.count == 1 else { throw JSONFault("has an asterisk where a value is compared by order") }
      return parts[0]
    }

    /// The value in lower case, cut at its asterisks, up to the parenthesis. `\2a` is an asterisk itself.
    private mutating func value() throws(JSONFault) -> [String] {
      var parts: [[UInt8]] = [[]]
      while let byte = rest.first, byte != UInt8(ascii: ")") {
        rest.removeFirst()
        switch byte {
        case UInt8(ascii: "*"): parts.append([])
        case UInt8(ascii: "("): throw JSONFault("has a parenthesis in a value; write \\28")
        case UInt8(ascii: "\\"):
          guard rest.count >= 2, let text = String(validating: rest.prefix(2), as: UTF8.self),
            let escaped = UInt8(text, radix: 16), !text.hasPrefix("+")
          else { throw JSONFault("has a backslash without two hexadecimal digits") }
          rest = rest.dropFirst(2)
          parts[parts.count - 1].append(escaped)
        default: parts[parts.count - 1].append(byte)
        }
      }
      var texts: [String] = []
      for part in parts {
        guard let text = String(validating: part, as: UTF8.self) else {
          throw JSONFault("has a value that is not UTF-8")
        }
        texts.append(text.lowercased())
      }
      return texts
    }

    private mutating func take(_ mark: Unicode.Scalar) throws(JSONFault) {
      guard let byte = rest.first, UInt32(byte) == mark.value else {
        guard !rest.isEmpty else { throw JSONFault("ends without \"\(mark)\"") }
        let place = bytes[..<rest.startIndex].count { !UTF8.isContinuation($0) } + 1
        throw JSONFault("needs \"\(mark)\" at character \(place)")
      }
      rest.removeFirst()
    }
  }
}
