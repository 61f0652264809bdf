import ArgumentParser
import Foundation
import PingCommons
import PingOath
import PingPush
import QRCodeReader
import StrictJSON

/// The credentials that an enrolment address has added to this device.
struct DeviceEnrolment {
  var codes: OathCredential?
  var push: PushCredential?

  /// Enrols this device: for codes (`otpauth`), push (`pushauth`), or both or neither (`mfauth`).
  ///
  /// - Parameters:
  ///   - schemes: The schemes that the command accepts.
  ///   - server: The server that shows the address, if known.
  ///   - isUnproven: Whether codes alone are kept for good only after the server has accepted one. With push, the server's answer covers
  ///     both.
  static func add(
    _ uri: String, schemes: [UriScheme], enrolledBy server: String? = nil, isUnproven: Bool = false,
    options: PushOptions
  ) async throws -> DeviceEnrolment {
    let uri = uri.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let scheme = UriScheme.from(urlString: uri), schemes.contains(scheme) else {
      throw CommandFailure.invalid(
        "This is not an address that begins with \(schemes.map(\.rawValue).joined(separator: " or ")). Pass the whole code, as the "
          + "service shows it, in quotation marks."
      )
    }
    var enrolled = DeviceEnrolment()
    if scheme != .pushauth {
      enrolled.codes = try await OathClients.with {
        try await $0.addCredential(
          fromUri: uri, enrolledBy: server, isUnproven: isUnproven && scheme == .otpauth)
      }
    }
    guard scheme != .otpauth else { return enrolled }
    do {
      enrolled.push = try await options.withClient { try await $0.addCredentialFromUri(uri) }
    } catch {
      // Either both or none stay: the server keeps neither without the device's answer.
      if let codes = enrolled.codes {
        do { _ = try await OathClients.with { try await $0.deleteCredential(codes.id) } } catch {
          Output.remark("Credential \(codes.id) is left over: delete it with `sealring oath delete`.")
        }
      }
      throw error
    }
    return enrolled
  }

  /// A sentence about the added credentials.
  var summary: String {
    let parts = [
      codes.map { "for one-time codes of \(printable($0.displayName)): credential \($0.id)" },
      push.map { "for push of \(printable($0.displayName)): credential \($0.id)" },
    ]
    return "Enrolled \(parts.compactMap { $0 }.joined(separator: ", and "))."
  }
}

/// The common part of commands that enrol this device. The address is an argument, on standard input, or in a picture.
struct EnrolmentCommand: ParsableArguments {
  @Option(help: "A PNG picture with the QR code.", completion: .file(extensions: ["png"]))
  var scan: String?

  @OptionGroup var options: PushOptions
  @OptionGroup var output: ResultOptions

  func validate(_ uri: String?) throws {
    guard (uri == nil) != (scan == nil) else {
      throw ValidationError("Give either the address, or a picture with --scan.")
    }
  }

  /// Enrols this device by an address of this scheme, or by one for both codes and push, and reports the credentials.
  func run(
    _ uri: String?, _ scheme: UriScheme, _ result: (DeviceEnrolment) -> (text: String, record: JSONObject)?
  ) async throws {
    let schemes = [scheme, .mfauth]
    let address =
      if let scan {
        try Self.address(inPicture: scan, schemes)
      } else {
        uri == "-" ? try await StandardInput.shared.line(of: "URI") : uri ?? ""
      }
    let enrolled = try await DeviceEnrolment.add(address, schemes: schemes, options: options)
    if let (text, record) = result(enrolled) { output.result(text, record) }
  }

  /// The only enrolment address in the picture.
  private static func address(inPicture file: String, _ schemes: [UriScheme]) throws -> String {
    let texts: [String]
    do {
      texts = try QRCodeReader.texts(
        in: GreyImage(png: GivenFile.bytes(file, limit: GreyImage.maximumFileBytes)))
    } catch let error as QRCodeReaderError {
      throw CommandFailure.invalid("\(printable(file)): \(error.description)")
    }
    let enrolments = texts.filter { text in schemes.contains { $0.matches(urlString: text) } }
    guard let enrolment = enrolments.first, enrolments.count == 1 else {
      let names = schemes.map(\.scheme).joined(separator: " or ")
      let found =
        texts.isEmpty
        ? "no QR code was found. Is it sharp, whole, and with its light border?"
        : enrolments.isEmpty
          ? "the QR code is not one of \(names)."
          : "\(enrolments.count) enrolments were found. Cut the picture down to one."
      throw CommandFailure.invalid("\(printable(file)): \(found)")
    }
    return enrolment
  }
}
