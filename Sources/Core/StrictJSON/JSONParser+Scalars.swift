internal import Bytes

extension JSONParser {
  mutating func number() throws(JSONError) -> JSONValue {
    let start = position
    var isWhole = true
    if bytes[position] == UInt8(ascii: "-") { position += 1 }
    let firstDigit = position
    guard skipDigits() > 0 else { throw JSONError(.invalidNumber, at: start) }
    if bytes[firstDigit] == UInt8(ascii: "0"), position > firstDigit + 1 {
      throw JSONError(.invalidNumber, at: start)
    }
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      isWhole = false
      position += 1
      guard skipDigits() > 0 else { throw JSONError(.invalidNumber, at: start) }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      position += 1
      if position < bytes.count, bytes[position] == UInt8(ascii: "+") || bytes[position] == UInt8(ascii: "-")
      {
        position += 1
      }
      guard skipDigits() > 0 else { throw JSONError(.invalidNumber, at: start) }
    }
    if isWhole, position - firstDigit <= 18 {
      // That many digits fit 64 bits.
      let magnitude = bytes[firstDigit..<position].reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
      if firstDigit == start { return .integer(magnitude) }
      if magnitude != 0 { return .integer(-magnitude) }
    }
    let text = String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<position]), as: UTF8.self)
    if isWhole, let integer = Int64(text), text != "-0" { return .integer(integer) }
    guard let double = Double(text), double.isFinite else { throw JSONError(.invalidNumber, at: start) }
    if text != "\(double)" { isCompact = false }
    return .number(double)
  }

  private mutating func skipDigits() -> Int {
    let start = position
    while position < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[position]) {
      position += 1
    }
    return position - start
  }

  mutating func string() throws(JSONError) -> String {
    var isPlain = true
    return try string(isPlain: &isPlain)
  }

  /// Reads a string. `isPlain` becomes `false` when it has characters outside ASCII, or escapes, which may stand for such characters.
  mutating func string(isPlain: inout Bool) throws(JSONError) -> String {
    position += 1
    let start = position
    var isASCII = true
    skipPlainWords()
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        let text = try decoded(start..<position, isASCII: isASCII)
        position += 1
        if !isASCII { isPlain = false }
        return text
      case UInt8(ascii: "\\"):
        isPlain = false
        return try escapedString(from: start, isASCII: isASCII)
      case 0x00..<0x20: throw JSONError(.invalidString, at: position)
      default:
        if byte >= 0x80 { isASCII = false }
        position += 1
      }
    }
    throw JSONError(.unexpectedEnd, at: position)
  }

  /// Skips eight bytes at a time, up to the first word with a quotation mark, a reverse solidus, a control character or a byte that is
  /// not ASCII.
  private mutating func skipPlainWords() {
    let bytes = UnsafeRawBufferPointer(self.bytes)
    while position + 8 <= bytes.count {
      let word = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
      guard word.isASCII, !word.hasEscapedByte else { return }
      position += 8
    }
  }

  private func decoded(_ range: Range<Int>, isASCII: Bool) throws(JSONError) -> String {
    let slice = UnsafeBufferPointer(rebasing: bytes[range])
    let text = String(decoding: slice, as: UTF8.self)
    // Decoding replaces invalid UTF-8, which changes the bytes.
    guard isASCII || text.utf8.elementsEqual(slice) else {
      throw JSONError(.invalidUTF8, at: range.lowerBound)
    }
    return text
  }

  /// The slow path: a string with at least one escape; `position` is at the first backslash.
  private mutating func escapedString(from start: Int, isASCII: Bool) throws(JSONError) -> String {
    var result = try decoded(start..<position, isASCII: isASCII)
    while position < bytes.count {
      let byte = bytes[position]
      switch byte {
      case UInt8(ascii: "\""):
        position += 1
        return result
      case UInt8(ascii: "\\"):
        position += 1
        result.unicodeScalars.append(try escape())
      case 0x00..<0x20: throw JSONError(.invalidString, at: position)
      default:
        let run = position
        while position < bytes.count, bytes[position] >= 0x20, bytes[position] != UInt8(ascii: "\""),
          bytes[position] != UInt8(ascii: "\\")
        {
          position += 1
        }
        result += try decoded(run..<position, isASCII: false)
      }
    }
    throw JSONError(.unexpectedEnd, at: position)
  }

  private mutating func escape() throws(JSONError) -> Unicode.Scalar {
    guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
    let byte = bytes[position]
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): return Unicode.Scalar(byte)
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"):
      isCompact = false
      return byte == UInt8(ascii: "/") ? "/" : byte == UInt8(ascii: "b") ? "\u{8}" : "\u{C}"
    case UInt8(ascii: "u"):
      let start = position - 2
      let scalar = try unicodeEscape()
      if !isWritten(scalar, asFrom: start) { isCompact = false }
      return scalar
    default: throw JSONError(.invalidString, at: position - 1)
    }
  }

  /// Whether ``JSONValue/serialized`` writes the character as the bytes from `start`, the reverse solidus, to ``position``.
  private func isWritten(_ scalar: Unicode.Scalar, asFrom start: Int) -> Bool {
    guard scalar.value < 0x20 else { return false }
    return String(scalar).quoted.utf8.dropFirst().dropLast().elementsEqual(bytes[start..<position])
  }

  private mutating func unicodeEscape() throws(JSONError) -> Unicode.Scalar {
    let start = position
    let first = try hexQuad()
    guard (0xD800..<0xE000).contains(first) else {
      guard let scalar = Unicode.Scalar(first) else { throw JSONError(.invalidString, at: start) }
      return scalar
    }
    guard first < 0xDC00, position + 1 < bytes.count, bytes[position] == UInt8(ascii: "\\"),
      bytes[position + 1] == UInt8(ascii: "u")
    else { throw JSONError(.invalidString, at: start) }
    position += 2
    let second = try hexQuad()
    guard (0xDC00..<0xE000).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    else { throw JSONError(.invalidString, at: start) }
    return scalar
  }

  private mutating func hexQuad() throws(JSONError) -> UInt32 {
    guard position + 4 <= bytes.count else { throw JSONError(.unexpectedEnd, at: bytes.count) }
    var value: UInt32 = 0
    for _ in 0..<4 {
      guard let digit = Hexadecimal.value(of: bytes[position]) else {
        throw JSONError(.invalidString, at: position)
      }
      value = value << 4 | UInt32(digit)
      position += 1
    }
    return value
  }
}
