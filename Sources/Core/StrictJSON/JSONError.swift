/// Why bytes were refused as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What kind of fault it is; further reasons may come, so compare, do not switch over all.
  public struct Reason: Sendable, Hashable, CustomStringConvertible {
    public let description: String
    private init(_ description: String) { self.description = description }

    public static let tooLarge = Reason("the text is longer than allowed")
    public static let tooDeep = Reason("arrays and objects are nested deeper than allowed")
    public static let unexpectedEnd = Reason("the text ends in the middle of a value")
    public static let unexpectedByte = Reason("unexpected byte")
    public static let trailingBytes = Reason("bytes after the end of the value")
    public static let duplicateMember = Reason("an object has two members of the same name")
    public static let invalidNumber = Reason(
      "a number that JSON does not allow or that does not fit a double")
    public static let invalidString = Reason(
      "a string with a bad escape, a control character or a lone surrogate")
    public static let invalidUTF8 = Reason("bytes that are not UTF-8")
    public static let notAnObject = Reason("the value is not an object")
  }

  public let reason: Reason

  /// Where it was noticed, in bytes from the start.
  public let offset: Int

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String { "invalid JSON at byte \(offset): \(reason)" }
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
