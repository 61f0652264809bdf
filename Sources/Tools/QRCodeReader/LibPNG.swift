internal import CPNG
internal import RuntimeLibraries

/// libpng's simplified interface (png.h, `PNG_IMAGE_VERSION` 1).
struct LibPNG {
  /// `PNG_IMAGE_VERSION`
  static let version: UInt32 = 1
  /// `PNG_FORMAT_GRAY`: eight bits of brightness per pixel.
  static let grey: UInt32 = 0

  let beginReading: @convention(c) (UnsafeMutablePointer<png_image>, UnsafeRawPointer, Int) -> Int32
  let finishReading:
    @convention(c) (
      UnsafeMutablePointer<png_image>, UnsafePointer<png_color>?, UnsafeMutableRawPointer?, Int32,
      UnsafeMutableRawPointer?
    ) -> Int32
  let write:
    @convention(c) (
      UnsafeMutablePointer<png_image>, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, Int32,
      UnsafeRawPointer?,
      Int32, UnsafeRawPointer?
    ) -> Int32
  let free: @convention(c) (UnsafeMutablePointer<png_image>) -> Void

  init(_ library: RuntimeLibrary) throws(QRCodeReaderError) {
    do throws(RuntimeLibraryError) {
      let png = try library.open()
      beginReading = try png.function("png_image_begin_read_from_memory")
      finishReading = try png.function("png_image_finish_read")
      write = try png.function("png_image_write_to_memory")
      free = try png.function("png_image_free")
    } catch { throw QRCodeReaderError(error) }
  }
}
