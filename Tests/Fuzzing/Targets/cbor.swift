import CBOR

/// Whatever the bytes are: they are refused, or what was read is the same after writing and reading it again, in canonical form.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? CBORValue(decoding: bytes) else { return 0 }
  let written = value.encoded
  precondition((try? CBORValue(decoding: written)) == value)
  precondition((try? CBORValue(decoding: written))?.encoded == written)
  return 0
}
