internal import Bytes
internal import Foundation

/// A colour in sRGB.
struct RGBColour: Sendable, Equatable {
  let red: UInt8
  let green: UInt8
  let blue: UInt8

  /// - Parameter hex: `#rrggbb`, and no other form of CSS.
  init?(hex: String) {
    let bytes = Array(hex.utf8)
    guard bytes.count == 7, bytes[0] == UInt8(ascii: "#"), bytes.dropFirst().allSatisfy(Hexadecimal.isDigit),
      let value = UInt32(hex.dropFirst(), radix: 16)
    else { return nil }
    (red, green, blue) = (
      UInt8(truncatingIfNeeded: value >> 16), UInt8(truncatingIfNeeded: value >> 8),
      UInt8(truncatingIfNeeded: value)
    )
  }

  var hex: String {
    let digits = String(UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue), radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  /// The contrast ratio (WCAG 2.2), from 1 for the same colour to 21 for black and white.
  func contrast(with other: RGBColour) -> Double {
    let (first, second) = (luminance, other.luminance)
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }

  /// The relative luminance (WCAG 2.2).
  private var luminance: Double {
    func linear(_ byte: UInt8) -> Double {
      let value = Double(byte) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }
}
