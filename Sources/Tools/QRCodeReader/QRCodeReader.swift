package import RuntimeLibraries

/// Finds QR codes in pictures: photographs, scans, screenshots.
package enum QRCodeReader {
  /// The texts of all QR codes in the picture, including light codes on dark; each text once, in no particular order. They are decoded as
  /// UTF-8, with U+FFFD for invalid bytes. Other bar codes are ignored.
  ///
  /// - Parameter library: ZBar, which this call opens.
  /// - Throws: ``QRCodeReaderError/missingLibrary(_:install:reason:)`` without ZBar; ``QRCodeReaderError/outOfMemory``.
  package static func texts(
    in picture: GreyImage, library: RuntimeLibrary = .zbar
  ) throws(QRCodeReaderError) -> [String] {
    let zbar = try ZBar(library)
    guard let scanner = zbar.createScanner() else { throw .outOfMemory }
    defer { zbar.destroyScanner(scanner) }
    _ = zbar.configure(scanner, ZBar.anySymbol, ZBar.enable, 0)
    _ = zbar.configure(scanner, ZBar.qrCode, ZBar.enable, 1)
    // Binary mode returns the raw bytes: otherwise ZBar guesses the encoding, and often mistakes UTF-8.
    _ = zbar.configure(scanner, ZBar.qrCode, ZBar.binary, 1)
    _ = zbar.configure(scanner, ZBar.anySymbol, ZBar.testInverted, 1)
    guard let image = zbar.createImage() else { throw .outOfMemory }
    defer { zbar.destroyImage(image) }
    zbar.setFormat(image, greyFormat)
    zbar.setSize(image, UInt32(picture.width), UInt32(picture.height))

    var texts: [String] = []
    picture.pixels.withUnsafeBufferPointer { pixels in
      // The image borrows the pixels, and only scanning reads them.
      zbar.setData(image, pixels.baseAddress, UInt(pixels.count), nil)
      _ = zbar.scan(scanner, image)
      var symbol = zbar.firstSymbol(image)
      while let current = symbol {
        if zbar.type(current) == ZBar.qrCode, let data = zbar.text(current) {
          let bytes = UnsafeRawBufferPointer(start: data, count: Int(zbar.length(current)))
          let text = String(decoding: bytes, as: UTF8.self)
          if !texts.contains(text) { texts.append(text) }
        }
        symbol = zbar.nextSymbol(current)
      }
      zbar.setData(image, nil, 0, nil)
    }
    return texts
  }

  /// `Y800`: eight bits of brightness per pixel.
  private static let greyFormat: UInt = "Y800".utf8.reversed().reduce(0) { $0 << 8 | UInt($1) }
}

/// Why a picture cannot be read or written.
package enum QRCodeReaderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The data is not a PNG file, or is damaged; with libpng's message.
  case notPNG(String)
  /// The picture or file exceeds the limits of ``GreyImage``; with its size.
  case tooLarge(String)
  /// The picture cannot be written; with libpng's message.
  case cannotWrite(String)
  case outOfMemory
  /// A library that is opened on demand is missing, or is a different one; with its name, how to install it, and the message of the
  /// system's loader.
  case missingLibrary(String, install: String, reason: String)

  package var description: String {
    switch self {
    case .notPNG(let reason): "This is not a PNG picture, or it is damaged (\(reason))."
    case .tooLarge(let size):
      "The picture has \(size); at most \(GreyImage.maximumFileBytes) bytes and \(GreyImage.maximumPixels) pixels are read."
    case .cannotWrite(let reason): "The picture cannot be written (\(reason))."
    case .outOfMemory: "There is not enough memory to read the picture."
    case .missingLibrary(let name, let install, let reason):
      "Pictures of QR codes need the library \(name), which is not installed. Install it (\(install)) and try again. (\(reason))"
    }
  }
}
