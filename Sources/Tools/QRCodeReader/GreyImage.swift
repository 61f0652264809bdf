/// A picture in shades of grey, without transparency.
package struct GreyImage: Sendable, Hashable, CustomStringConvertible {
  /// Pixels from left to right, at least 1.
  package let width: Int
  /// Pixels from top to bottom, at least 1.
  package let height: Int
  /// Rows from the top, each from the left; 0 is black, 255 white.
  package let pixels: [UInt8]

  /// The most pixels of a picture to read: 25 million, more than a QR code reader needs from a photograph.
  package static let maximumPixels = 25_000_000

  /// The largest PNG file to read, in bytes.
  package static let maximumFileBytes = 32 << 20

  /// - Precondition: `width` and `height` are positive, and `pixels` has as many bytes as their product.
  package init(width: Int, height: Int, pixels: [UInt8]) {
    precondition(
      width > 0 && height > 0 && pixels.count == width * height, "GreyImage: a byte for every pixel")
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  /// The size only.
  package var description: String { "GreyImage(\(width)×\(height))" }
}
