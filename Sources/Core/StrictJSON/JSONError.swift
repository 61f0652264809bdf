/// Why bytes were refused as JSON.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kind of fault. More reasons may be added, so compare with the known ones.
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

  /// The same place for people, counted from 1: the line, and the character in it; `nil` when the text is not at hand.
  public private(set) var position: Position?

  public struct Position: Sendable, Hashable {
    public let line: Int
    public let column: Int
  }

  public init(_ reason: Reason, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  public var description: String {
    let place = position.map { "in line \($0.line), column \($0.column)" } ?? "at byte \(offset)"
    return "invalid JSON \(place): \(reason)"
  }

  /// Compares reason and offset only, because the position follows from the text.
  public static func == (left: JSONError, right: JSONError) -> Bool {
    left.reason == right.reason && left.offset == right.offset
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(reason)
    hasher.combine(offset)
  }

  /// The same error, with its position in `bytes`.
  func located(in bytes: UnsafeBufferPointer<UInt8>) -> JSONError {
    let before = bytes.prefix(min(max(offset, 0), bytes.count))
    let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
    var located = self
    located.position = Position(
      line: before.count { $0 == 0x0A } + 1,
      // The continuation bytes of UTF-8 belong to the character before them.
      column: before[start...].count { $0 & 0xC0 != 0x80 } + 1)
    return located
  }
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
