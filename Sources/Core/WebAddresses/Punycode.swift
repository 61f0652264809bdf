/// The Bootstring encoding of labels that are not ASCII (RFC 3492).
enum Punycode {
  private static let (base, tMin, tMax, skew, damp) = (36, 1, 26, 38, 700)

  /// The encoded label without `xn--`; `nil` when it is longer than a label may be.
  static func encode(_ label: some Sequence<Unicode.Scalar>) -> [UInt8]? {
    let points = label.map { Int($0.value) }
    // Each scalar takes at least one byte, which keeps the arithmetic below far from overflowing.
    guard points.count <= 63 else { return nil }
    var output = points.filter { $0 < 0x80 }.map { UInt8($0) }
    let basicCount = output.count
    if basicCount > 0 { output.append(UInt8(ascii: "-")) }
    var (n, delta, bias, handled) = (0x80, 0, 72, basicCount)
    while handled < points.count {
      guard let next = points.filter({ $0 >= n }).min() else { return nil }
      delta += (next - n) * (handled + 1)
      n = next
      for point in points {
        if point < n { delta += 1 }
        guard point == n else { continue }
        appendVariableLength(delta, bias: bias, to: &output)
        bias = adapt(delta, handled: handled + 1, isFirst: handled == basicCount)
        delta = 0
        handled += 1
      }
      delta += 1
      n += 1
    }
    return output.count <= 59 ? output : nil
  }

  private static func appendVariableLength(_ value: Int, bias: Int, to output: inout [UInt8]) {
    var (q, k) = (value, base)
    while true {
      let t = k <= bias ? tMin : min(k - bias, tMax)
      guard q >= t else { break }
      output.append(digit(t + (q - t) % (base - t)))
      q = (q - t) / (base - t)
      k += base
    }
    output.append(digit(q))
  }

  private static func adapt(_ delta: Int, handled: Int, isFirst: Bool) -> Int {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / handled
    var k = 0
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }

  private static func digit(_ value: Int) -> UInt8 {
    UInt8(truncatingIfNeeded: value < 26 ? value + 0x61 : value - 26 + 0x30)
  }
}
