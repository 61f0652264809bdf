internal import StrictJSON

extension JSONObject {
  /// The text under `name`.
  ///
  /// - Throws: ``PushFormatError/Code/missing`` when it is absent, empty or not text; ``PushFormatError/Code/tooLarge``.
  func required(_ name: String, limit: Int = PushFormatLimits.textBytes) throws(PushFormatError) -> String {
    guard let text = try optional(name, limit: limit), !text.isEmpty else {
      throw PushFormatError(.missing, "\(name) is absent, empty or not text.")
    }
    return text
  }

  /// The text under `name`; `nil` when it is absent or `null`.
  ///
  /// - Throws: ``PushFormatError/Code/malformed`` for other values; ``PushFormatError/Code/tooLarge``.
  func optional(_ name: String, limit: Int = PushFormatLimits.textBytes) throws(PushFormatError)
    -> String?
  {
    guard let value = self[name], !value.isNull else { return nil }
    guard let text = value.stringValue else { throw PushFormatError(.malformed, "\(name) is not text.") }
    guard text.utf8.count <= limit else {
      throw PushFormatError(.tooLarge, "\(name) has \(text.utf8.count) bytes, more than \(limit).")
    }
    return text
  }

  /// A whole number that may be written as text, as servers of this protocol do.
  func number(_ name: String) -> Int64? {
    guard let value = self[name] else { return nil }
    return value.integerValue ?? value.stringValue.flatMap {
      Int64($0) ?? Double($0).flatMap { Int64(exactly: $0.rounded(.down)) }
    }
      ?? value.doubleValue.flatMap { Int64(exactly: $0.rounded(.down)) }
  }
}

extension JSONObject {
  /// The members of a request or answer body.
  init(parsingBody bytes: some Sequence<UInt8>, limit: Int) throws(PushFormatError) {
    do throws(JSONError) {
      try self.init(parsing: bytes, limits: JSONLimits(maximumBytes: limit, maximumDepth: 8))
    } catch {
      throw PushFormatError(error.reason == .tooLarge ? .tooLarge : .malformed, "The body is \(error).")
    }
  }
}
