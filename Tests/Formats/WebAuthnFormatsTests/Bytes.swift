/// The bytes of hexadecimal text; anything else in it is skipped.
func bytes(_ hexadecimal: String) -> [UInt8] {
  var bytes: [UInt8] = []
  var half: UInt8?
  for digit in hexadecimal {
    guard let value = digit.hexDigitValue.map(UInt8.init) else { continue }
    if let high = half {
      bytes.append(high << 4 | value)
      half = nil
    } else {
      half = value
    }
  }
  return bytes
}
