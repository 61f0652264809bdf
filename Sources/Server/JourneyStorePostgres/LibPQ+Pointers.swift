extension LibPQ {
  /// Begins a connection. When an option is given twice, the later value counts.
  func start(_ options: [(name: String, value: String)]) -> OpaquePointer? {
    Self.withPointers(options.map { Array($0.name.utf8CString) }) { names in
      Self.withPointers(options.map { Array($0.value.utf8CString) }) { connectStartParams(names, $0, 1) }
    }
  }

  /// Calls `body` with an array of pointers to texts, which ends with a null pointer.
  static func withPointers<Value>(
    _ texts: [[CChar]?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Value
  ) -> Value {
    // One buffer for all texts, so that none moves. An empty text needs an address, too.
    let total = texts.reduce(0) { $0 + ($1?.count ?? 0) + 1 }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: max(1, total)) { buffer in
      var pointers: [UnsafePointer<CChar>?] = []
      var next = 0
      for text in texts {
        guard let text else {
          pointers.append(nil)
          continue
        }
        for (offset, character) in text.enumerated() { buffer[next + offset] = character }
        buffer[next + text.count] = 0
        pointers.append(buffer.baseAddress.map { UnsafePointer($0 + next) })
        next += text.count + 1
      }
      pointers.append(nil)
      return pointers.withUnsafeBufferPointer { body($0.baseAddress) }
    }
  }
}
