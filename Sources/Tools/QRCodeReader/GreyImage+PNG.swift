internal import CPNG
package import RuntimeLibraries

extension GreyImage {
  /// Reads a PNG file (ISO/IEC 15948) of any colour type and depth. Transparent parts are white.
  ///
  /// - Parameter library: libpng, which this call opens.
  /// - Throws: ``QRCodeReaderError`` for data that is not PNG or damaged, for more than ``maximumFileBytes`` or ``maximumPixels``, and
  ///   without libpng.
  package init(png bytes: some Sequence<UInt8>, library: RuntimeLibrary = .png) throws(QRCodeReaderError) {
    let bytes = Array(bytes)
    guard bytes.count <= Self.maximumFileBytes else { throw .tooLarge("\(bytes.count) bytes") }
    let png = try LibPNG(library)
    var control = png_image()
    control.version = LibPNG.version
    defer { png.free(&control) }
    // The control structure points into the bytes until reading ends.
    let result = bytes.withUnsafeBytes { file -> Result<[UInt8], QRCodeReaderError> in
      guard let start = file.baseAddress, png.beginReading(&control, start, file.count) != 0
      else { return .failure(.notPNG(Self.reason(control))) }
      let (width, height) = (Int(control.width), Int(control.height))
      // The size is checked before memory is allocated: a small file can announce a huge picture.
      guard width > 0, height > 0, width <= Self.maximumPixels, height <= Self.maximumPixels / width else {
        return .failure(.tooLarge("\(width) times \(height) pixels"))
      }
      control.format = LibPNG.grey
      var pixels = [UInt8](repeating: 255, count: width * height)
      var white = png_color(red: 255, green: 255, blue: 255)
      let isRead = pixels.withUnsafeMutableBytes {
        png.finishReading(&control, &white, $0.baseAddress, Int32(width), nil)
      }
      return isRead != 0 ? .success(pixels) : .failure(.notPNG(Self.reason(control)))
    }
    let pixels = try result.get()
    self.init(width: Int(control.width), height: Int(control.height), pixels: pixels)
  }

  /// The picture as a PNG file with eight bits per pixel.
  ///
  /// - Parameter library: libpng, which this call opens.
  /// - Throws: ``QRCodeReaderError/cannotWrite(_:)``, for example for lack of memory;
  ///   ``QRCodeReaderError/missingLibrary(_:install:reason:)`` without libpng.
  package func png(library: RuntimeLibrary = .png) throws(QRCodeReaderError) -> [UInt8] {
    let png = try LibPNG(library)
    var control = png_image()
    control.version = LibPNG.version
    control.width = UInt32(width)
    control.height = UInt32(height)
    control.format = LibPNG.grey
    defer { png.free(&control) }
    var length = 0
    guard png.write(&control, nil, &length, 0, pixels, Int32(width), nil) != 0 else {
      throw .cannotWrite(Self.reason(control))
    }
    var file = [UInt8](repeating: 0, count: length)
    let isWritten = file.withUnsafeMutableBytes {
      png.write(&control, $0.baseAddress, &length, 0, pixels, Int32(width), nil)
    }
    guard isWritten != 0 else { throw .cannotWrite(Self.reason(control)) }
    return Array(file.prefix(length))
  }

  /// libpng's message about a failure.
  private static func reason(_ control: png_image) -> String {
    withUnsafeBytes(of: control.message) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
