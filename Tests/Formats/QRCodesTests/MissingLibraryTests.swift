import QRCodeReader
import QRCodes
import Testing

@testable import RuntimeLibraries

/// ZBar and libpng are opened when a picture is looked at: without them everything else works, and the error says what to install.
@Suite struct MissingLibraryTests {
  static let absent = RuntimeLibrary(
    title: "Nothing", candidates: ["libsealring-absent.so.0", "/nowhere/libsealring-absent.so"],
    installation: "nothing on Debian")

  @Test func `without ZBar a picture is not scanned, and the error says what to install`() throws {
    let picture = try picture(of: QRCode("text"))
    let error = #expect(throws: QRCodeReaderError.self) {
      try QRCodeReader.texts(in: picture, library: Self.absent)
    }
    guard case .missingLibrary("Nothing", install: "nothing on Debian", let reason) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains("libsealring-absent.so.0:") && reason.contains("/nowhere/libsealring-absent.so:"))
    #expect(error?.description.contains("Install it (nothing on Debian)") == true)
  }

  /// Apple's loader looks for a bare name in the working folder, where anybody may have put a library.
  @Test func `where the loader looks in the working folder, only paths from the root are opened`() {
    let candidates = ["libzbar.0.dylib", "./libzbar.0.dylib", "lib/x.dylib", "/usr/lib/libzbar.0.dylib"]
    #expect(RuntimeLibrary.safe(candidates, looksInWorkingFolder: true) == ["/usr/lib/libzbar.0.dylib"])
    #expect(RuntimeLibrary.safe(candidates, looksInWorkingFolder: false) == candidates)
    let own = RuntimeLibrary.candidates(apple: "libzbar.0.dylib")
    #expect(!own.isEmpty && RuntimeLibrary.safe(own, looksInWorkingFolder: true) == own)
  }

  @Test func `without libpng a picture is neither read nor written`() throws {
    let picture = try picture(of: QRCode("text"))
    let png = try picture.png()
    for use in [
      { _ = try GreyImage(png: png, library: Self.absent) }, { _ = try picture.png(library: Self.absent) },
    ] {
      let error = #expect(throws: QRCodeReaderError.self) { try use() }
      #expect(error?.description.contains("need the library Nothing") == true)
    }
  }

  @Test func `a library without our functions is not taken for the right one`() throws {
    let other = RuntimeLibrary(title: "ZBar", candidates: RuntimeLibrary.png.candidates, installation: "")
    let error = #expect(throws: QRCodeReaderError.self) {
      try QRCodeReader.texts(in: GreyImage(width: 1, height: 1, pixels: [0]), library: other)
    }
    #expect(error?.description.contains("zbar_image_scanner_create") == true)
  }

  @Test func `the first candidate that opens is used`() throws {
    let second = RuntimeLibrary(
      title: "ZBar", candidates: Self.absent.candidates + RuntimeLibrary.zbar.candidates, installation: "")
    #expect(try QRCodeReader.texts(in: picture(of: QRCode("text")), library: second) == ["text"])
  }

  @Test(arguments: [RuntimeLibrary.zbar, .png])
  func `the library's name says its package`(library: RuntimeLibrary) {
    #expect(library.installation.contains("Debian") && library.installation.contains("Homebrew"))
  }
}
