import ArgumentParser
import PingCommons
import QRCodeReader
import QRCodes
import StrictJSON
import TerminalPrompts

extension PushCommand {
  struct QR: AsyncParsableCommand, JSONFlag {
    static let configuration = CommandConfiguration(
      commandName: "qr",
      abstract: "Show an enrolment as a QR code, for a phone or for `sealring push enroll --scan`.",
      discussion: """
        With a URI, it draws that. Without one, it signs in with --journey, draws the code that the server offers, and waits for the \
        device to answer while the remaining time counts down. Anyone who sees the code meanwhile can enrol in your place. On a terminal \
        that is too small for the code, --png and --svg write a picture, and --json prints the address, which \
        `sealring push enroll -` takes on the device.
        """)

    /// The way the terminal shows the code.
    enum Colours: String, ExpressibleByArgument, CaseIterable {
      /// Black on white with control sequences; without a terminal, the same as `dark`.
      case auto
      /// Plain characters for light text on a dark background.
      case dark
      /// Plain characters for dark text on a light background.
      case light
    }

    @Argument(help: "The URI (otpauth://…, pushauth://… or mfauth://…); - reads it from standard input.")
    var uri: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var device: DeviceOptions
    @OptionGroup var secrets: SecretOptions

    @Option(help: "The journey that registers a device.")
    var journey = "PushRegister"

    @Option(help: "Whose device is enrolled.")
    var username: String?

    @Option(help: "The terminal's background: auto, dark or light.")
    var colours = Colours.auto

    @Option(help: "Write the code as SVG to this file.", completion: .file(extensions: ["svg"]))
    var svg: String?

    @Option(help: "Write the code as a PNG picture to this file.", completion: .file(extensions: ["png"]))
    var png: String?

    @Flag(help: "Replace the files of --svg and --png if they exist.")
    var force = false

    @Flag(help: "Print the URI and the outcome as JSON instead of the code, a line each.")
    var json = false

    func validate() throws {
      if uri == nil, (username ?? CurrentSettings.user) == nil {
        throw ValidationError("Give a URI to draw, or --username for an enrolment by --journey.")
      }
      if uri != nil, username != nil { throw ValidationError("Give either a URI or --username, not both.") }
    }

    func run() async throws {
      if let uri {
        let uri = uri == "-" ? try await StandardInput.shared.line(of: "URI") : uri
        guard UriScheme.from(urlString: uri) != nil else {
          throw CommandFailure.usage(
            "This is not an enrolment address: those begin with otpauth, pushauth or mfauth.")
        }
        return try show(uri)
      }
      let username = username ?? CurrentSettings.user
      // An account that has a key confirms with it before it gets a device.
      var player = try device.player(at: server, for: username, secrets: try await secrets.load())
      player.offerEnrolment = { try show($0) }
      if !json {
        let countdown = EnrolmentCountdown()
        player.enrolmentTimeLeft = { countdown.set(secondsLeft: $0) }
        player.pause = { try await countdown.pause($0) }
      }
      let outcome = try await player.play(journey)
      guard outcome.wasOfferedEnrolment else {
        throw CommandFailure.conflict(
          "Journey \(printable(journey)) succeeded without an enrolment. \(printable(username ?? "")) may have a push device "
            + "already: `sealring devices --kind push --username NAME` shows it."
        )
      }
      done(
        "Enrolled a push device for \(printable(username ?? "")).",
        [
          "enrolled": true,
          "recoveryCodes": .array(
            outcome.messages.flatMap { $0.split(whereSeparator: \.isNewline) }.map { .string(String($0)) }),
        ])
    }

    private func show(_ uri: String) throws {
      // A small code is easier to scan.
      let code: QRCode
      do { code = try QRCode(uri) } catch {
        throw CommandFailure.invalid(error.description)
      }
      if let svg { try Self.write(Array(code.svg().utf8), to: svg, replaces: force) }
      if let png {
        do {
          try Self.write(code.picture().png(), to: png, replaces: force)
        } catch let error as QRCodeReaderError {
          throw CommandFailure.invalid("\(printable(png)): \(error.description)")
        }
      }
      if json {
        Output.json(["uri": .string(uri)])
      } else if svg == nil, png == nil {
        let style: QRCode.TerminalColours =
          switch colours {
          case .auto: Output.showsColour ? .blackOnWhite : .darkBackground
          case .dark: .darkBackground
          case .light: .lightBackground
          }
        Output.line(code.terminalText(style, margin: try Self.margin(for: code)))
      }
    }

    private static func margin(for code: QRCode) throws -> Int {
      guard Output.isTerminal, let size = Terminal.controlling.size else { return QRCode.quietZone }
      if let fitting = code.margin(columns: size.columns, rows: size.rows) { return fitting }
      let (columns, rows) = code.room(margin: 1)
      throw CommandFailure.unsupported(
        "The code needs \(columns) columns and \(rows) rows, and this terminal has \(size.columns) and \(size.rows): nothing was "
          + "drawn, and nothing was enrolled. Enlarge the terminal, or choose a smaller font; or write a picture with --png FILE or "
          + "--svg FILE; or print the address with --json, for `sealring push enroll -` on the device."
      )
    }

    /// Writes a file that only its owner can read, because the code is a secret.
    private static func write(_ bytes: [UInt8], to path: String, replaces: Bool) throws {
      try AtomicFile.write(bytes, to: path, replaces: replaces)
      Output.remark("Wrote the code to \(printable(path)); delete the file when the device is enrolled.")
    }
  }
}

extension QRCode {
  /// The code with its quiet zone, with `scale` pixels per module.
  func picture(scale: Int = 6) -> GreyImage {
    let side = (size + 2 * Self.quietZone) * scale
    let pixels = (0..<side * side).map { index -> UInt8 in
      isDark(index % side / scale - Self.quietZone, index / side / scale - Self.quietZone) ? 0 : 255
    }
    return GreyImage(width: side, height: side, pixels: pixels)
  }
}
