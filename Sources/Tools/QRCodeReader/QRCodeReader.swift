internal import CZBar

/// Finds QR codes in pictures: photographs, scans, screenshots.
public enum QRCodeReader {
  /// The texts of all QR codes in the picture, light on dark ones too; each text once, in no particular order. They are
  /// taken as UTF-8, with U+FFFD for what is none. Other kinds of bar codes are ignored.
  ///
  /// - Throws: ``QRCodeReaderError/outOfMemory``.
  public static func texts(in picture: GreyImage) throws(QRCodeReaderError) -> [String] {
    guard let scanner = zbar_image_scanner_create() else { throw .outOfMemory }
    defer { zbar_image_scanner_destroy(scanner) }
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
    zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
    // The bytes as they are: otherwise the encoding is guessed, and UTF-8 often taken for something else.
    zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_BINARY, 1)
    zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)
    guard let image = zbar_image_create() else { throw .outOfMemory }
    defer { zbar_image_destroy(image) }
    zbar_image_set_format(image, greyFormat)
    zbar_image_set_size(image, UInt32(picture.width), UInt32(picture.height))

    var texts: [String] = []
    picture.pixels.withUnsafeBufferPointer { pixels in
      // The image borrows the pixels, and only scanning reads them.
      zbar_image_set_data(image, pixels.baseAddress, UInt(pixels.count), nil)
      zbar_scan_image(scanner, image)
      var symbol = zbar_image_first_symbol(image)
      while let current = symbol {
        if zbar_symbol_get_type(current) == ZBAR_QRCODE, let data = zbar_symbol_get_data(current) {
          let bytes = UnsafeRawBufferPointer(start: data, count: Int(zbar_symbol_get_data_length(current)))
          let text = String(decoding: bytes, as: UTF8.self)
          if !texts.contains(text) { texts.append(text) }
        }
        symbol = zbar_symbol_next(current)
      }
      zbar_image_set_data(image, nil, 0, nil)
    }
    return texts
  }

  /// `Y800`: eight bits of brightness a pixel.
  private static let greyFormat: UInt = "Y800".utf8.reversed().reduce(0) { $0 << 8 | UInt($1) }
}

/// Why a picture cannot be read or written.
public enum QRCodeReaderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It is no PNG file, or a damaged one; with what libpng says.
  case notPNG(String)
  /// It is larger than the limits of ``GreyImage``; with how large it is.
  case tooLarge(String)
  /// It cannot be written; with what libpng says.
  case cannotWrite(String)
  case outOfMemory

  public var description: String {
    switch self {
    case .notPNG(let reason): "This is no PNG picture, or a damaged one (\(reason))."
    case .tooLarge(let size):
      "The picture has \(size); at most \(GreyImage.maximumFileBytes) bytes and \(GreyImage.maximumPixels) pixels are read."
    case .cannotWrite(let reason): "The picture cannot be written (\(reason))."
    case .outOfMemory: "There is too little memory to look at the picture."
    }
  }
}
