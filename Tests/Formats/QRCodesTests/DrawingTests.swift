import Foundation
import QRCodeReader
import QRCodes
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An enrolment as servers write it, 800 characters long.
let enrolment =
  "pushauth://push/Example%20Bank:bjensen?l=YW1sYmNvb2tpZT0wMQ&issuer=RXhhbXBsZSBCYW5r&m=REGISTER:0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d1767225600000&s=YXVWWhHvL9OHEcUZKgduLmiaN_QKyJklHhyuSp-yvlQ&c=cxuTnKC-fbhWq_LrudJUnQzxJIzke5CdM3rvhXkPoKU&r=aHR0cHM6Ly9hbS5leGFtcGxlLmNvbTo4NDQzL2FtL2pzb24vYWxwaGEvcHVzaC9zbnMvbWVzc2FnZT9fYWN0aW9uPXJlZ2lzdGVy&a=aHR0cHM6Ly9hbS5leGFtcGxlLmNvbTo4NDQzL2FtL2pzb24vYWxwaGEvcHVzaC9zbnMvbWVzc2FnZT9fYWN0aW9uPWF1dGhlbnRpY2F0ZQ&uid=YmplbnNlbg&pid=NmYxZDJjM2ItNGE1OS00ODc3LTk2NjUtNTQ0MzMyMjExMDBmMTc2NzIyNTU5OTAwMA&b=032b75&image=aHR0cHM6Ly93d3cuZXhhbXBsZS5jb20vbG9nby5wbmc"

let texts = ["A", "bjensen", "Grüße, 東京", "0123456789", enrolment, String(repeating: "x", count: 1273)]

/// What was drawn can be read, by our reader and by programs that know nothing of our drawing.
@Suite struct DrawingTests {
  @Test(arguments: texts)
  func `a drawn code reads back`(text: String) throws {
    let code = try QRCode(text)
    #expect((21...177).contains(code.size) && (code.size - 17).isMultiple(of: 4))
    #expect(try QRCodeReader.texts(in: picture(of: code)) == [text])
  }

  @Test func `zbarimg reads what was drawn`() throws {
    let png = try picture(of: QRCode(enrolment)).png()
    let read = try OtherPrograms.withFile(png, extension: "png") {
      OtherPrograms.run("zbarimg", ["--quiet", "--raw", $0])
    }
    #expect(read.map { String(decoding: $0, as: UTF8.self) } == enrolment + "\n")
  }

  @Test func `an SVG is well formed and reads back once it is drawn by librsvg`() throws {
    let svg = try QRCode(enrolment).svg()
    let parser = XMLParser(data: Data(svg.utf8))
    #expect(parser.parse())
    let png = try OtherPrograms.withFile(Array(svg.utf8), extension: "svg") {
      OtherPrograms.run("rsvg-convert", [$0])
    }
    let image = try GreyImage(png: try #require(png, "rsvg-convert failed"))
    #expect(image.width == (try QRCode(enrolment).size + 8) * 4)
    #expect(try QRCodeReader.texts(in: image) == [enrolment])
  }

  @Test(arguments: QRCode.TerminalColours.allCases)
  func `a terminal shows a code that reads back`(colours: QRCode.TerminalColours) throws {
    let code = try QRCode(enrolment)
    let lines = code.terminalText(colours).split(separator: "\n", omittingEmptySubsequences: false)
    let coloured = "\u{1B}[38;5;16;48;5;231m"
    #expect(lines.allSatisfy { $0.hasPrefix(coloured) == (colours == .blackOnWhite) })
    #expect(lines.allSatisfy { $0.hasSuffix("\u{1B}[0m") == (colours == .blackOnWhite) })
    let rows = lines.flatMap { line -> [[UInt8]] in
      let characters = line.replacing(coloured, with: "").replacing("\u{1B}[0m", with: "")
      #expect(characters.count == code.size + 8)
      // The ink is white where only what is light is drawn.
      let (ink, paper): (UInt8, UInt8) = colours == .darkBackground ? (255, 0) : (0, 255)
      return [
        characters.map { "█▀".contains($0) ? ink : paper },
        characters.map { "█▄".contains($0) ? ink : paper },
      ]
    }
    let image = enlarged(rows, by: 3)
    #expect(try QRCodeReader.texts(in: image) == [enrolment])
  }

  @Test func `no text and too long text are refused`() {
    #expect(throws: QRCodeError.empty) { try QRCode("") }
    #expect(throws: Never.self) { try QRCode(String(repeating: "a", count: 2953)) }
    #expect(throws: QRCodeError.tooLong(bytes: 2954)) { try QRCode(String(repeating: "a", count: 2954)) }
  }

  @Test func `a description tells nothing of the text`() throws {
    #expect(try "\(QRCode("secret"))" == "QRCode(21×21)")
  }
}

/// The code with its quiet zone, `scale` pixels a module.
func picture(of code: QRCode, scale: Int = 4) -> GreyImage {
  let edge = QRCode.quietZone
  return enlarged(
    (-edge..<code.size + edge).map { row in
      (-edge..<code.size + edge).map { code.isDark($0, row) ? 0 : 255 }
    }, by: scale)
}

private func enlarged(_ rows: [[UInt8]], by scale: Int) -> GreyImage {
  let pixels = rows.flatMap { row -> [UInt8] in
    let line = row.flatMap { Array(repeating: $0, count: scale) }
    return (0..<scale).flatMap { _ in line }
  }
  return GreyImage(width: rows[0].count * scale, height: rows.count * scale, pixels: pixels)
}
