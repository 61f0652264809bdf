package import RuntimeLibraries

/// The libraries that read pictures. They are opened on demand: ZBar alone needs ten others, including X11 and camera drivers.
extension RuntimeLibrary {
  /// Finds QR codes. The number in the file name is the version of its binary interface.
  package static let zbar = RuntimeLibrary(
    title: "ZBar", candidates: candidates(linux: "libzbar.so.0", apple: "libzbar.0.dylib"),
    installation: "libzbar0 on Debian and Ubuntu, zbar in Homebrew")

  /// Reads and writes PNG pictures.
  package static let png = RuntimeLibrary(
    title: "libpng", candidates: candidates(linux: "libpng16.so.16", apple: "libpng16.16.dylib"),
    installation: "libpng16-16 on Debian and Ubuntu, libpng in Homebrew")
}

extension QRCodeReaderError {
  init(_ error: RuntimeLibraryError) {
    self = .missingLibrary(error.title, install: error.installation, reason: error.reason)
  }
}
