import TOML

extension FuzzTarget {
  /// A value that is set in a document is read again, with all others as they were.
  static let toml = FuzzTarget { bytes in
    // Values may grow when they are written; below the limit of a document all the same.
    let bytes = Array(bytes.prefix(8000))
    guard let document = try? TOMLDocument(parsing: bytes) else { return }
    let values = document.entries.map { ($0.path, $0.value) }
    expect((try? TOMLDocument(parsing: document.text.utf8))?.entries == document.entries, "the text changes")
    for (path, value) in values {
      var changed = document
      expect((try? changed.set(path, to: value)) != nil, "a value cannot be set to itself")
      expect(changed.entries.map(\.value) == values.map(\.1), "setting a value changes another one")
    }
    var changed = document
    let new: TOMLValue = .text(String(decoding: bytes.prefix(64), as: UTF8.self))
    if (try? changed.set(["fuzz", "new"], to: new)) != nil {
      expect(changed.value(["fuzz", "new"]) == new, "a new value is not there")
      expect(
        values.allSatisfy { $0.0 == ["fuzz", "new"] || changed.value($0.0) == $0.1 },
        "a new value changes another one")
    }
  }
}
