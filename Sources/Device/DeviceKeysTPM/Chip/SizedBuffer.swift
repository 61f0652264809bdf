internal import CTSS2

/// A TPM structure of a size and that many bytes: TPM2B_DIGEST and its like.
///
/// Swift imports the bytes as a tuple of up to 2,048 elements. The compiler checks each element wherever the tuple is named, which took
/// half a minute, so nothing here names it. `shim.h` of CTSS2 asserts that the bytes directly follow the size.
protocol SizedBuffer {
  init()
  var size: UInt16 { get set }
}

extension SizedBuffer {
  /// - Precondition: `bytes` fit. Callers check bytes from outside.
  init(_ bytes: some Collection<UInt8>) {
    self.init()
    withUnsafeMutableBytes(of: &self) { structure in
      let buffer = UnsafeMutableRawBufferPointer(rebasing: structure.dropFirst(MemoryLayout<UInt16>.size))
      precondition(bytes.count <= buffer.count, "\(Self.self) holds \(buffer.count) bytes")
      buffer.copyBytes(from: bytes)
    }
    size = UInt16(bytes.count)
  }

  var bytes: [UInt8] {
    withUnsafeBytes(of: self) { Array($0.dropFirst(MemoryLayout<UInt16>.size).prefix(Int(size))) }
  }
}

extension TPM2B_DIGEST: SizedBuffer {}
extension TPM2B_DATA: SizedBuffer {}
extension TPM2B_ECC_PARAMETER: SizedBuffer {}
extension TPM2B_MAX_NV_BUFFER: SizedBuffer {}
extension TPM2B_MAX_BUFFER: SizedBuffer {}

extension TPM2B_PUBLIC_KEY_RSA: SizedBuffer {}
extension TPM2B_ATTEST: SizedBuffer {}

extension TPM2B_ECC_PARAMETER {
  /// The number, padded with leading zeros to 32 bytes: chips may leave leading zeros out.
  var padded: [UInt8] { Array(repeating: 0, count: max(0, 32 - Int(size))) + bytes }
}

/// The wire format of structures (TPM 2.0 Library, Part 1 §31), by the functions of tpm2-tss.
enum Marshalling {
  static func bytes<Value>(
    of value: UnsafePointer<Value>,
    _ marshal: (UnsafePointer<Value>?, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) ->
      TSS2_RC
  ) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: MemoryLayout<Value>.size)
    var count = 0
    try TPMFailure.check("Marshalling \(Value.self)", marshal(value, &bytes, bytes.count, &count))
    return Array(bytes[..<count])
  }

  /// - Throws: ``TPMFailure`` unless `bytes` are one such structure and nothing else.
  static func read<Value>(
    _ bytes: [UInt8], into empty: Value,
    _ unmarshal: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?, UnsafeMutablePointer<Value>?) ->
      TSS2_RC
  ) throws -> Value {
    var value = empty
    var count = 0
    try TPMFailure.check("Reading \(Value.self)", unmarshal(bytes, bytes.count, &count, &value))
    guard count == bytes.count else {
      throw TPMFailure(command: "Reading \(Value.self)", code: TPMFailure.trailingBytes)
    }
    return value
  }
}
