import ArgumentParser
import Foundation
import PingPush
import QRCodeReader
import StrictJSON

extension PushCommand {
  /// `sealring push enroll`: registers this device with a server.
  struct Enroll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Enrol this device for push with the code that a server shows.",
      discussion: """
        The URI holds the secret that this device and the server share. On a machine with other users pass it with - on \
        standard input, or scan it from a picture: they can read the arguments of your commands.
        """)

    @Argument(help: "The URI (pushauth://… or mfauth://…); - reads it from standard input.")
    var uri: String?

    @Option(help: "A PNG picture with the QR code.", completion: .file(extensions: ["png"]))
    var scan: String?

    @OptionGroup var options: PushOptions

    @Flag(help: "Print the new credential as JSON.")
    var json = false

    func validate() throws {
      guard (uri == nil) != (scan == nil) else {
        throw ValidationError("Give either the URI, or a picture with --scan.")
      }
    }

    func run() async throws {
      let uri = try await enrolmentURI()
      let credential = try await options.withClient { client in
        try await client.addCredentialFromUri(uri)
      }
      if json {
        Output.json(credential.record)
      } else {
        Output.line(
          "Enrolled for \(printable(credential.displayName)): credential \(credential.id). `sealring push listen` shows what is asked."
        )
      }
    }

    private func enrolmentURI() async throws -> String {
      if let scan { return try Self.scan(scan) }
      guard uri == "-" else { return uri ?? "" }
      guard let line = try await StandardInput.shared.nextLine(), !line.isEmpty else {
        throw CommandFailure("There is no URI on standard input; pipe it in on a line of its own.")
      }
      return line
    }

    /// The one enrolment in the picture.
    private static func scan(_ file: String) throws -> String {
      let texts: [String]
      do {
        texts = try QRCodeReader.texts(in: GreyImage(png: PictureFile.read(file)))
      } catch let error as QRCodeReaderError {
        throw CommandFailure("\(printable(file)): \(error.description)")
      }
      let enrolments = texts.filter { text in
        let start = text.prefix(12).lowercased()
        return start.hasPrefix("pushauth://") || start.hasPrefix("mfauth://")
      }
      guard let enrolment = enrolments.first, enrolments.count == 1 else {
        let found =
          texts.isEmpty
          ? "no QR code was found. Is it sharp, whole, and with its light border?"
          : enrolments.isEmpty
            ? "the QR code is none for push (pushauth or mfauth)."
            : "\(enrolments.count) enrolments were found. Cut the picture down to one."
        throw CommandFailure("\(printable(file)): \(found)")
      }
      return enrolment
    }
  }
}

/// A file that a command is given.
enum PictureFile {
  /// Its bytes; no more than a picture may have.
  static func read(_ path: String) throws -> Data {
    do {
      let file = try FileHandle(forReadingFrom: URL(filePath: path))
      defer { try? file.close() }
      return try file.read(upToCount: GreyImage.maximumFileBytes + 1) ?? Data()
    } catch {
      throw CommandFailure(
        "\(printable(path)) cannot be read: \(PlainReason.of(error)) Check its name and who may read it."
      )
    }
  }
}
