/// A CBOR value (RFC 8949) of the kinds that WebAuthn uses. Tags and floating-point numbers are not among them.
///
/// No library is used: those for Swift neither bound what they read, nor refuse duplicate keys, nor write CTAP2's canonical form.
public enum CBORValue: Sendable, Hashable {
  /// 0 to 2⁶⁴ − 1 (major type 0).
  case unsigned(UInt64)
  /// −1 − the given number: −1 to −2⁶⁴ (major type 1).
  case negative(UInt64)
  case bytes([UInt8])
  case text(String)
  case array([CBORValue])
  case map(CBORMap)
  case bool(Bool)
  case null
}

extension CBORValue {
  /// An integer of either sign.
  public init(_ number: Int) {
    self = number >= 0 ? .unsigned(UInt64(number)) : .negative(UInt64(-1 - number))
  }

  /// The number as an `Int`; `nil` for other kinds, and for a number that does not fit.
  public var intValue: Int? {
    switch self {
    case .unsigned(let number): Int(exactly: number)
    case .negative(let number): Int(exactly: number).map { -1 - $0 }
    default: nil
    }
  }

  public var bytesValue: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }

  public var textValue: String? { if case .text(let text) = self { text } else { nil } }

  public var arrayValue: [CBORValue]? { if case .array(let items) = self { items } else { nil } }

  public var mapValue: CBORMap? { if case .map(let map) = self { map } else { nil } }

  public var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
}

extension CBORValue: ExpressibleByIntegerLiteral, ExpressibleByStringLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  public init(integerLiteral value: Int) { self.init(value) }
  public init(stringLiteral value: String) { self = .text(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(arrayLiteral elements: CBORValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (CBORValue, CBORValue)...) {
    self = .map(CBORMap(elements.map { ($0.0, $0.1) }))
  }
}
