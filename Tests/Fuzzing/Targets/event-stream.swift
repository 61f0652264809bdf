extension FuzzTarget {
  /// Server-sent events are the same however the stream is cut, and bounded.
  static let eventStream = FuzzTarget { bytes in
    guard let first = bytes.first else { return }
    let limit = 256
    let size = 1 + Int(first) % 16
    var (whole, cut) = (EventStreamParser(limit: limit), EventStreamParser(limit: limit))
    let stream = bytes.dropFirst()
    guard let events = try? whole.parse(stream) else { return }
    var pieces: [[UInt8]] = []
    var rest = stream
    while !rest.isEmpty {
      guard let found = try? cut.parse(rest.prefix(size)) else {
        return expect(false, "a stream in pieces is refused")
      }
      pieces += found
      rest = rest.dropFirst(size)
    }
    expect(pieces == events, "a stream in pieces has other events")
    expect(cut.retryMilliseconds == whole.retryMilliseconds, "a stream in pieces has another pause")
    expect(events.allSatisfy { $0.count <= 2 * limit }, "an event is too long")
  }
}
