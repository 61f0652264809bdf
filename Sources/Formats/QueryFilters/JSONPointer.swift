public import StrictJSON

/// A place in a JSON document (RFC 6901), as CREST writes it: `/preferences/updates`, with or without the first slash.
public struct JSONPointer: Sendable, Hashable {
  /// The names from the outermost object inward; never empty.
  public let names: [String]

  /// Deepest place that a pointer names.
  public static let maximumDepth = 16

  /// - Returns: `nil` for the whole document, for empty names, and for more than ``maximumDepth`` of them.
  public init?(_ text: some StringProtocol) {
    // Bytes, because a slash before a combining mark is one `Character` with it.
    var text = Array(text.utf8)[...]
    if text.first == UInt8(ascii: "/") { text.removeFirst() }
    let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count <= Self.maximumDepth, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    names = parts.map { Self.unescaped($0) }
  }

  private static func unescaped(_ part: ArraySlice<UInt8>) -> String {
    var bytes: [UInt8] = []
    var rest = part
    while let byte = rest.popFirst() {
      switch (byte, rest.first) {
      case (UInt8(ascii: "~"), UInt8(ascii: "0")): rest.removeFirst(); bytes.append(UInt8(ascii: "~"))
      case (UInt8(ascii: "~"), UInt8(ascii: "1")): rest.removeFirst(); bytes.append(UInt8(ascii: "/"))
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The text with the first slash.
  public var text: String {
    names.map { name in
      // Scalars, because a slash before a combining mark is one `Character` with it.
      "/" + name.unicodeScalars.map { $0 == "~" ? "~0" : $0 == "/" ? "~1" : String($0) }.joined()
    }.joined()
  }

  /// The value at this place; `nil` when there is none. A number names an element of an array.
  public func value(in object: JSONObject) -> JSONValue? {
    var value = JSONValue.object(object)
    for name in names {
      guard let next = value[name] ?? Int(name).flatMap({ value[$0] }) else { return nil }
      value = next
    }
    return value
  }

  /// Sets the value at this place, creating the objects on the way; `nil` removes it.
  public func set(_ value: JSONValue?, in object: inout JSONObject) {
    Self.set(value, at: names[...], in: &object)
  }

  private static func set(_ value: JSONValue?, at names: ArraySlice<String>, in object: inout JSONObject) {
    guard let name = names.first else { return }
    guard names.count > 1 else {
      object[name] = value
      return
    }
    guard value != nil || object[name]?.objectValue != nil else { return }
    var inner = object[name]?.objectValue ?? JSONObject()
    set(value, at: names.dropFirst(), in: &inner)
    object[name] = .object(inner)
  }
}
