import Foundation
import QRCodeReader
import StrictJSON
import Testing

/// What `push qr` and `push listen` show on a terminal.
@Suite struct EnrolmentScreenTests {
  /// The text of the code that half blocks draw for dark letters on a light ground, on a terminal that is dark around it.
  private static func text(drawnIn screen: String) throws -> [String] {
    let rows = screen.split(separator: "\n").map(Array.init).filter { row in
      row.count > 40 && row.allSatisfy { " ▀▄█".contains($0) }
    }
    let (scale, border) = (4, 10)
    let width = ((rows.map(\.count).max() ?? 0) + 2 * border) * scale
    let height = (2 * rows.count + 2 * border) * scale
    var pixels = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let (column, line) = (x / scale - border, y / scale - border)
        guard column >= 0, line >= 0, line / 2 < rows.count, column < rows[line / 2].count else { continue }
        let character = rows[line / 2][column]
        let isDark = character == "█" || character == (line % 2 == 0 ? "▀" : "▄")
        pixels[y * width + x] = isDark ? 0 : 255
      }
    }
    return try QRCodeReader.texts(in: GreyImage(width: width, height: height, pixels: pixels))
  }

  private func begin(
    _ scene: PushScene, size: (columns: UInt16, rows: UInt16), environment: [String: String]
  ) async throws -> TerminalCommand {
    var tool = scene.desktop
    tool.environment.merge(environment) { $1 }
    let command = try TerminalCommand(
      tool,
      [
        "push", "qr", "--server", scene.server.address, "--username", "mira", "--colours", "light",
      ], size: size)
    _ = await command.read(until: "Password for mira: ")
    command.type(PushScene.password + "\n")
    return command
  }

  @Test func `the code was too wide for 80 columns, and the time to scan it was not told`() async throws {
    try await PushScene.run { scene in
      let command = try await begin(scene, size: (80, 50), environment: ["TERM": "xterm", "ACCESSIBLE": ""])
      let screen = await command.read(until: " left to scan the code.\u{1B}[K")
      let uri = try #require(try Self.text(drawnIn: screen).first, "\(screen)")
      #expect(uri.hasPrefix("pushauth://push/"))
      #expect(screen.split(separator: "\n").allSatisfy { $0.count <= 80 })
      // The line is written anew, with less each time.
      let next = await command.read(until: " left to scan the code.\u{1B}[K")
      #expect(
        next.wholeMatch(of: /(1 minute )?\d+ seconds? left to scan the code\.\u{1B}\[K/) != nil, "\(next)")
      let enrolled = try await scene.device.run(["push", "enroll", "-"], input: uri + "\n")
      #expect(enrolled.status == 0, "\(enrolled.errors)")
      let end = await command.finish()
      #expect(end.status == 0 && end.shown.contains("Enrolled a push device for mira."), "\(end.shown)")
      #expect(
        end.shown.contains("\u{1B}[KRecovery codes, shown once."), "the line is taken away: \(end.shown)")
    }
  }

  @Test(arguments: [["TERM": "dumb"], ["TERM": "xterm", "ACCESSIBLE": "1"]])
  func `nothing is written anew where a screen reader would read it again`(environment: [String: String])
    async throws
  {
    try await PushScene.run { scene in
      let command = try await begin(scene, size: (200, 100), environment: environment)
      let screen = await command.read(until: " left to scan the code.")
      let uri = try #require(try Self.text(drawnIn: screen).first)
      let enrolled = try await scene.device.run(["push", "enroll", "-"], input: uri + "\n")
      #expect(enrolled.status == 0, "\(uri): \(enrolled.errors)")
      let end = await command.finish()
      #expect(end.status == 0 && !end.shown.contains("left to scan"), "\(end.shown)")
      #expect(!(screen + end.shown).contains("\u{1B}[K"))
    }
  }

  @Test func `on a terminal of 24 rows the command says what else to do`() async throws {
    try await PushScene.run { scene in
      let command = try await begin(scene, size: (80, 24), environment: [:])
      let end = await command.finish()
      #expect(end.status == 1 && !end.shown.contains("▀"))
      for way in ["--png", "--json", "push enroll -"] { #expect(end.shown.contains(way), "\(end.shown)") }
    }
  }

  @Test func `a request named the path of the endpoint as its server`() async throws {
    try await PushScene.run { scene in
      try await scene.enrol()
      let listening = try TerminalCommand(scene.device, ["push", "listen", "--once"])
      _ = await listening.read(until: "Ctrl-C ends.")
      let signingIn = try scene.signIn()
      let shown = await listening.read(until: "(y, or n and why): ")
      let lines = shown.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(
        lines.contains("Server   \(scene.server.address)") && lines.contains("Realm    alpha"), "\(shown)")
      listening.type("y\n")
      #expect(await listening.finish().status == 0)
      #expect(await signingIn.finish().status == 0)
    }
  }

  @Test func `the question for a passkey was a bare (y/n)`() async throws {
    try await PushScene.run { scene in
      let command = try TerminalCommand(
        scene.device,
        [
          "passkey", "register", "--server", scene.server.address, "--username", "mira", "--store",
          "software",
          "--no-user-verification",
        ])
      _ = await command.read(until: "Password for mira: ")
      command.type(PushScene.password + "\n")
      let shown = await command.read(until: "(y/n): ")
      let question = try #require(shown.split(separator: "\n").last)
      #expect(
        question == "Make a key of this device for mira at \(scene.server.address) (y/n): ", "\(shown)")
      #expect(shown.split(separator: "\n").allSatisfy { $0.count <= 80 })
      command.type("n\n")
      let end = await command.finish()
      #expect(end.status == 1 && end.shown.contains("Cancelled"), "\(end.shown)")
    }
  }
}
