public import StrictJSON

/// A place in a JSON document (RFC 6901), as CREST writes it: `/preferences/updates`, with or without the first slash.
public struct JSONPointer: Sendable, Hashable {
  /// The names from the outermost object inward; never empty.
  public let names: [String]

  /// Deepest place that a pointer names.
  public static let maximumDepth = 16

  /// - Returns: `nil` for the whole document, for empty names, and for more than ``maximumDepth`` of them.
  public init?(_ text: some StringProtocol) {
    var text = Substring(text)
    if text.hasPrefix("/") { text.removeFirst() }
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= Self.maximumDepth, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
    names = parts.map { String($0).replacing("~1", with: "/").replacing("~0", with: "~") }
  }

  /// The text with the first slash.
  public var text: String {
    names.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
  }

  /// What stands at the place; `nil` when nothing does. A number names an element of an array.
  public func value(in object: JSONObject) -> JSONValue? {
    var value = JSONValue.object(object)
    for name in names {
      guard let next = value[name] ?? Int(name).flatMap({ value[$0] }) else { return nil }
      value = next
    }
    return value
  }

  /// Puts a value at the place, and makes the objects on the way; `nil` removes what stands there.
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
