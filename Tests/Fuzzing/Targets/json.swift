import StrictJSON

extension FuzzTarget {
  /// What was read is the same after writing and reading it again, in both forms; and the limits hold.
  static let json = FuzzTarget { bytes in
    if let small = try? JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: 64, maximumDepth: 3)) {
      expect(bytes.count <= 64 && depth(small) <= 3, "a limit of JSON does not hold")
    }
    guard let value = try? JSONValue(parsing: bytes) else { return }
    let room = JSONLimits(maximumBytes: 64 + 12 * bytes.count, maximumDepth: 512)
    let written = value.serialized
    if value.objectValue != nil {
      var isCompact = false
      _ = try? JSONObject(parsing: bytes, isCompact: &isCompact)
      expect(isCompact == (written == bytes), "what is said of the form of JSON is wrong")
    }
    let again = try? JSONValue(parsing: written, limits: room)
    expect(again == value, "written JSON is read as another value")
    expect(again?.serialized == written, "JSON changes when it is written again")
    let line = value.lineText
    expect(line.isFitForLine, "a line of JSON holds what a line must not")
    expect((try? JSONValue(parsing: line, limits: room)) == value, "a line of JSON is another value")
    if let object = value.objectValue {
      for (name, member) in object { expect(object[name] == member, "a member is not found by its name") }
    }
  }

  private static func depth(_ value: JSONValue) -> Int {
    switch value {
    case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
    case .object(let object): 1 + (object.map { depth($0.value) }.max() ?? 0)
    default: 0
    }
  }
}
