/// Why bytes were refused as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault, each with its own test.
  public enum Reason: String, Sendable, Hashable {
    case tooLarge = "the text is longer than allowed"
    case tooDeep = "arrays and objects are nested deeper than allowed"
    case unexpectedEnd = "the text ends in the middle of a value"
    case unexpectedByte = "a byte that cannot stand here"
    case trailingBytes = "bytes after the end of the value"
    case duplicateMember = "an object has two members of the same name"
    case invalidNumber = "a number that JSON does not allow or that does not fit a double"
    case invalidString = "a string with a bad escape, a control character or a lone surrogate"
    case invalidUTF8 = "bytes that are not UTF-8"
  }

  public let reason: Reason

  /// Where it was noticed, in bytes from the start.
  public let offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { "invalid JSON at byte \(offset): \(reason.rawValue)" }
}

/// Bounds on what the parser accepts, so that outside bytes cannot exhaust memory or stack.
public struct JSONLimits: Sendable, Hashable {
  /// Longest accepted text in bytes.
  public var maximumBytes: Int

  /// Deepest accepted nesting of arrays and objects.
  public var maximumDepth: Int

  public init(maximumBytes: Int = 1 << 20, maximumDepth: Int = 64) {
    self.maximumBytes = maximumBytes
    self.maximumDepth = maximumDepth
  }

  /// One mebibyte, 64 levels.
  public static let standard = JSONLimits()
}
