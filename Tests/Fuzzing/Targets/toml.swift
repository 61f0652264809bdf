import TOML

/// Whatever the text is: it is refused, or a value that is set in it is read again, with all others as they were.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // Values may grow when they are written; below the limit of a document all the same.
  let bytes = Array(UnsafeBufferPointer(start: start, count: min(count, 8000)))
  guard let document = try? TOMLDocument(parsing: bytes) else { return 0 }
  let values = document.entries.map { ($0.path, $0.value) }
  precondition((try? TOMLDocument(parsing: document.text.utf8))?.entries == document.entries)
  for (path, value) in values {
    var changed = document
    precondition((try? changed.set(path, to: value)) != nil)
    precondition(changed.entries.map(\.value) == values.map(\.1))
  }
  var changed = document
  let new: TOMLValue = .text(String(decoding: bytes.prefix(64), as: UTF8.self))
  if (try? changed.set(["fuzz", "new"], to: new)) != nil {
    precondition(changed.value(["fuzz", "new"]) == new)
    precondition(values.allSatisfy { $0.0 == ["fuzz", "new"] || changed.value($0.0) == $0.1 })
  }
  return 0
}
