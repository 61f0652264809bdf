import Foundation
import QRCodeReader
import QRCodes
import Testing

/// Pictures as people have them: drawn by other programs, several codes, none, damaged, too large.
@Suite struct ReadingTests {
  @Test(arguments: texts)
  func `a PNG that qrencode drew is read`(text: String) throws {
    let png = try #require(
      OtherPrograms.run("qrencode", ["--8bit", "--type", "PNG", "--output", "-", text]), "qrencode failed")
    #expect(try QRCodeReader.texts(in: GreyImage(png: png)) == [text])
  }

  @Test func `light on dark is read, and so is a code in colours with transparency`() throws {
    for colours in [["ffffff", "000000"], ["1a237eff", "ffffff00"]] {
      let png = try #require(
        OtherPrograms.run(
          "qrencode",
          [
            "--type", "PNG32", "--size", "5", "--foreground", colours[0], "--background", colours[1],
            "--output",
            "-", enrolment,
          ]))
      #expect(try QRCodeReader.texts(in: GreyImage(png: png)) == [enrolment])
    }
  }

  @Test func `two codes in one picture give two texts, the same twice gives one`() throws {
    func beside(_ left: String, _ right: String) throws -> [String] {
      let (left, right) = (try picture(of: QRCode(left)), try picture(of: QRCode(right)))
      #expect(left.height == right.height)
      var pixels: [UInt8] = []
      for row in 0..<left.height {
        for image in [left, right] { pixels += image.pixels[row * image.width..<(row + 1) * image.width] }
      }
      return try QRCodeReader.texts(
        in: GreyImage(width: left.width + right.width, height: left.height, pixels: pixels))
    }
    #expect(try Set(beside("first", "other")) == ["first", "other"])
    #expect(try beside("first", "first") == ["first"])
  }

  @Test func `a picture without a code has no texts`() throws {
    let grey = GreyImage(width: 300, height: 200, pixels: Array(repeating: 128, count: 60_000))
    #expect(try QRCodeReader.texts(in: grey).isEmpty)
    #expect(try QRCodeReader.texts(in: GreyImage(width: 1, height: 1, pixels: [0])).isEmpty)
  }

  @Test func `what was written as PNG reads back pixel by pixel`() throws {
    let image = GreyImage(width: 7, height: 3, pixels: (0..<21).map { $0 * 12 })
    #expect(try GreyImage(png: image.png()) == image)
  }

  @Test func `a damaged file, or another kind, is an error`() throws {
    let png = try picture(of: QRCode("x")).png()
    let broken: [[UInt8]] = [
      [], Array("GIF89a".utf8), Array(png.prefix(8)), Array(png.prefix(40)), Array(png.prefix(png.count / 2)),
      png.enumerated().map { $0.offset == png.count / 2 ? $0.element ^ 0xFF : $0.element },
    ]
    for file in broken {
      let error = #expect(throws: QRCodeReaderError.self) { try GreyImage(png: file) }
      guard case .notPNG = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
  }

  @Test func `a small file that announces a huge picture costs nothing`() throws {
    // The header of 60,000 by 60,000 pixels.
    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    func chunk(_ type: String, _ content: [UInt8]) {
      let body = Array(type.utf8) + content
      file += bigEndian(UInt32(content.count)) + body + bigEndian(checksum(body))
    }
    chunk("IHDR", bigEndian(60_000) + bigEndian(60_000) + [8, 0, 0, 0, 0])
    chunk("IDAT", [0x78, 0x9C, 0x03, 0x00, 0x00, 0x00, 0x00, 0x01])
    chunk("IEND", [])
    #expect(throws: QRCodeReaderError.tooLarge("60000 times 60000 pixels")) { try GreyImage(png: file) }
  }

  @Test func `a huge file is not even looked at`() {
    let file = [UInt8](repeating: 0, count: GreyImage.maximumFileBytes + 1)
    #expect(throws: QRCodeReaderError.tooLarge("\(file.count) bytes")) { try GreyImage(png: file) }
  }
}

private func bigEndian(_ number: UInt32) -> [UInt8] {
  withUnsafeBytes(of: number.bigEndian) { Array($0) }
}

/// CRC-32 as PNG has it (ISO/IEC 15948 §5.5).
private func checksum(_ bytes: [UInt8]) -> UInt32 {
  ~bytes.reduce(UInt32.max) { crc, byte in
    (0..<8).reduce(crc ^ UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }
}
