extension String {
  /// The text with the first `most` places `{{name}}` filled; one without a value stays as it is. Values are not looked at again.
  func filled(most: Int = .max, _ value: (Substring) -> String?) -> String {
    var (result, rest, places) = ("", self[...], 0)
    while places < most, let open = rest.firstRange(of: "{{"),
      let close = rest[open.upperBound...].firstRange(of: "}}")
    {
      result += rest[..<open.lowerBound]
      if let value = value(rest[open.upperBound..<close.lowerBound]) {
        places += 1
        result += value
        rest = rest[close.upperBound...]
      } else {
        result += rest[open]
        rest = rest[open.upperBound...]
      }
    }
    return result + rest
  }
}
