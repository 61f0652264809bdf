extension JSONValue {
  /// Reads one JSON value that fills all of `bytes`.
  ///
  /// It is stricter than most readers, because signed and security-relevant texts must have one meaning only. Duplicate members, lone
  /// surrogates, invalid UTF-8, a byte-order mark and trailing bytes are errors. RFC 8259 §4 leaves duplicate members open; RFC 7515 §4
  /// and RFC 7519 §4 permit refusing them. Names that differ only by Unicode normalisation or escapes count as duplicates.
  ///
  /// - Throws: ``JSONError`` with the reason and the place.
  public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
    let result =
      bytes.withContiguousStorageIfAvailable { JSONParser.parse($0, limits: limits) }
      ?? Array(bytes).withUnsafeBufferPointer { JSONParser.parse($0, limits: limits) }
    self = try result.get()
  }

  /// Reads one JSON value from text. See ``init(parsing:limits:)-(Sequence<UInt8>,_)``.
  public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(parsing: text.utf8, limits: limits)
  }
}

extension JSONObject {
  /// Reads one JSON object that fills all of `bytes`. See ``JSONValue/init(parsing:limits:)-(Sequence<UInt8>,_)``.
  ///
  /// - Throws: ``JSONError``; ``JSONError/Reason/notAnObject`` for another value.
  public init(parsing bytes: some Sequence<UInt8>, limits: JSONLimits = .standard) throws(JSONError) {
    guard case .object(let object) = try JSONValue(parsing: bytes, limits: limits) else {
      throw JSONError(.notAnObject, at: 0)
    }
    self = object
  }

  /// Reads one JSON object and reports whether its text is the one that ``serialized`` gives. Where only that text is valid, another
  /// one may have been tampered with.
  ///
  /// - Parameter isCompact: Set to whether `bytes` are what ``serialized`` gives for the object.
  /// - Throws: as ``init(parsing:limits:)-(Sequence<UInt8>,_)``.
  package init(
    parsing bytes: [UInt8], limits: JSONLimits = .standard, isCompact: inout Bool
  ) throws(JSONError) {
    let result = bytes.withUnsafeBufferPointer { JSONParser.parse($0, limits: limits, isCompact: &isCompact) }
    guard case .object(let object) = try result.get() else { throw JSONError(.notAnObject, at: 0) }
    self = object
  }
}

/// A recursive-descent parser over borrowed bytes; recursion is bounded by ``JSONLimits/maximumDepth``.
struct JSONParser {
  let bytes: UnsafeBufferPointer<UInt8>
  let limits: JSONLimits
  var position = 0
  var depth = 0

  /// Whether everything so far was written as ``JSONValue/serialized`` would write it: no white space, each number and each
  /// escape in its one form.
  var isCompact = true

  /// Returns a result, because closures over buffers do not carry typed errors.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits) -> Result<JSONValue, JSONError> {
    var isCompact = false
    return parse(bytes, limits: limits, isCompact: &isCompact)
  }

  static func parse(
    _ bytes: UnsafeBufferPointer<UInt8>, limits: JSONLimits, isCompact: inout Bool
  ) -> Result<JSONValue, JSONError> {
    var parser = JSONParser(bytes: bytes, limits: limits)
    do throws(JSONError) {
      let value = try parser.document()
      isCompact = parser.isCompact
      return .success(value)
    } catch {
      isCompact = false
      return .failure(error.located(in: bytes))
    }
  }

  private mutating func document() throws(JSONError) -> JSONValue {
    guard bytes.count <= limits.maximumBytes else { throw JSONError(.tooLarge, at: limits.maximumBytes) }
    skipWhitespace()
    let value = try value()
    skipWhitespace()
    guard position == bytes.count else { throw JSONError(.trailingBytes, at: position) }
    return value
  }

  private mutating func skipWhitespace() {
    while position < bytes.count {
      switch bytes[position] {
      case 0x20, 0x09, 0x0A, 0x0D:
        position += 1
        isCompact = false
      default: return
      }
    }
  }

  private func peek() throws(JSONError) -> UInt8 {
    guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
    return bytes[position]
  }

  private mutating func value() throws(JSONError) -> JSONValue {
    switch try peek() {
    case UInt8(ascii: "{"): return .object(try object())
    case UInt8(ascii: "["): return .array(try array())
    case UInt8(ascii: "\""): return .string(try string())
    case UInt8(ascii: "t"): return try literal("true", .bool(true))
    case UInt8(ascii: "f"): return try literal("false", .bool(false))
    case UInt8(ascii: "n"): return try literal("null", .null)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
    default: throw JSONError(.unexpectedByte, at: position)
    }
  }

  private mutating func literal(_ text: StaticString, _ value: JSONValue) throws(JSONError) -> JSONValue {
    for offset in 0..<text.utf8CodeUnitCount {
      guard position < bytes.count else { throw JSONError(.unexpectedEnd, at: position) }
      guard bytes[position] == text.utf8Start[offset] else { throw JSONError(.unexpectedByte, at: position) }
      position += 1
    }
    return value
  }

  /// Takes the bracket that opens an array or object. `false` when `close` follows, which is consumed.
  private mutating func enter(until close: UInt8) throws(JSONError) -> Bool {
    depth += 1
    guard depth <= limits.maximumDepth else { throw JSONError(.tooDeep, at: position) }
    position += 1
    skipWhitespace()
    guard try peek() == close else { return true }
    position += 1
    depth -= 1
    return false
  }

  /// After an element: `true` at a comma, `false` at `close`, which is consumed.
  private mutating func more(until close: UInt8) throws(JSONError) -> Bool {
    skipWhitespace()
    let byte = try peek()
    position += 1
    if byte == close {
      depth -= 1
      return false
    }
    guard byte == UInt8(ascii: ",") else { throw JSONError(.unexpectedByte, at: position - 1) }
    skipWhitespace()
    return true
  }

  private mutating func array() throws(JSONError) -> [JSONValue] {
    var elements: [JSONValue] = []
    guard try enter(until: UInt8(ascii: "]")) else { return elements }
    repeat { elements.append(try value()) } while try more(until: UInt8(ascii: "]"))
    return elements
  }

  private mutating func object() throws(JSONError) -> JSONObject {
    guard try enter(until: UInt8(ascii: "}")) else { return JSONObject() }
    var members: [JSONObject.Slot] = []
    members.reserveCapacity(4)
    var seen: Set<String>?
    // ASCII names are equal when their bytes are. Once there is another name, Unicode normalisation matters.
    var isPlain = true
    repeat {
      let start = position
      guard try peek() == UInt8(ascii: "\"") else { throw JSONError(.unexpectedByte, at: position) }
      let name = try string(isPlain: &isPlain)
      let isNew: Bool
      if seen != nil {
        isNew = seen?.insert(name).inserted == true
      } else {
        isNew =
          isPlain
          ? !members.contains { $0.name.hasSameBytes(as: name) } : !members.contains { $0.name == name }
        if members.count == JSONObject.indexingThreshold { seen = Set(members.map(\.name) + [name]) }
      }
      guard isNew else { throw JSONError(.duplicateMember, at: start) }
      skipWhitespace()
      guard try peek() == UInt8(ascii: ":") else { throw JSONError(.unexpectedByte, at: position) }
      position += 1
      skipWhitespace()
      members.append(JSONObject.Slot(name: name, value: try value()))
    } while try more(until: UInt8(ascii: "}"))
    return JSONObject(unique: members)
  }
}
