internal import RuntimeLibraries

/// The part of ZBar (zbar.h, interface 0) that finds QR codes.
struct ZBar {
  /// `zbar_symbol_type_t`
  static let anySymbol: Int32 = 0
  static let qrCode: Int32 = 64

  /// `zbar_config_t`
  static let enable: Int32 = 0
  static let binary: Int32 = 4
  static let testInverted: Int32 = 0x81

  let createScanner: @convention(c) () -> OpaquePointer?
  let destroyScanner: @convention(c) (OpaquePointer) -> Void
  let configure: @convention(c) (OpaquePointer, Int32, Int32, Int32) -> Int32
  let createImage: @convention(c) () -> OpaquePointer?
  let destroyImage: @convention(c) (OpaquePointer) -> Void
  let setFormat: @convention(c) (OpaquePointer, UInt) -> Void
  let setSize: @convention(c) (OpaquePointer, UInt32, UInt32) -> Void
  /// The last argument is a function that frees the data; without it the caller still owns the data.
  let setData: @convention(c) (OpaquePointer, UnsafeRawPointer?, UInt, OpaquePointer?) -> Void
  let scan: @convention(c) (OpaquePointer, OpaquePointer) -> Int32
  let firstSymbol: @convention(c) (OpaquePointer) -> OpaquePointer?
  let nextSymbol: @convention(c) (OpaquePointer) -> OpaquePointer?
  let type: @convention(c) (OpaquePointer) -> Int32
  let text: @convention(c) (OpaquePointer) -> UnsafeRawPointer?
  let length: @convention(c) (OpaquePointer) -> UInt32

  init(_ library: RuntimeLibrary) throws(QRCodeReaderError) {
    do throws(RuntimeLibraryError) {
      let zbar = try library.open()
      createScanner = try zbar.function("zbar_image_scanner_create")
      destroyScanner = try zbar.function("zbar_image_scanner_destroy")
      configure = try zbar.function("zbar_image_scanner_set_config")
      createImage = try zbar.function("zbar_image_create")
      destroyImage = try zbar.function("zbar_image_destroy")
      setFormat = try zbar.function("zbar_image_set_format")
      setSize = try zbar.function("zbar_image_set_size")
      setData = try zbar.function("zbar_image_set_data")
      scan = try zbar.function("zbar_scan_image")
      firstSymbol = try zbar.function("zbar_image_first_symbol")
      nextSymbol = try zbar.function("zbar_symbol_next")
      type = try zbar.function("zbar_symbol_get_type")
      text = try zbar.function("zbar_symbol_get_data")
      length = try zbar.function("zbar_symbol_get_data_length")
    } catch { throw QRCodeReaderError(error) }
  }
}
