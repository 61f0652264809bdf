package import ArgumentParser
import Bytes
import Foundation
package import KeyAttestation
import PrivateFiles
import Assembly

/// The attestations of keys that a server accepts.
package struct AttestationTrustOptions: ParsableArguments, ServerOptionGroup {
  package init() {}

  @Option(
    help: ArgumentHelp(
      "CA certificate(s) in PEM for TPMs' attestation keys: a file, or a folder of *.pem and *.crt. Repeatable.",
      valueName: "path"), completion: .file())
  var tpmRoots: [String] = []

  @Option(
    help: ArgumentHelp("The same for Android's key attestation. Repeatable.", valueName: "path"),
    completion: .file())
  var androidRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "The same for Apple's App Attest, in place of Apple's published root. Repeatable.", valueName: "path"),
    completion: .file())
  var appAttestRoots: [String] = []

  @Option(
    help: ArgumentHelp(
      "App whose attested Android keys are accepted: its package and the SHA-256 of its signing certificate in hexadecimal. Repeatable. Default: any app's.",
      valueName: "package=sha256"))
  var androidApp: [String] = []

  @Option(
    help: ArgumentHelp(
      "File with the serial numbers of revoked certificates, one per line in hexadecimal.",
      valueName: "file"), completion: .file())
  package var revokedCertificates: String?

  private var applications: [String: Set<[UInt8]>] {
    get throws {
      var applications: [String: Set<[UInt8]>] = [:]
      for text in androidApp {
        let parts = text.split(separator: "=", omittingEmptySubsequences: false)
        let digits = parts.count == 2 ? parts[1].filter { $0 != ":" } : ""
        guard parts.count == 2, !parts[0].isEmpty, let digest = Hexadecimal.decode(digits), digest.count == 32
        else {
          throw ValidationError(
            "--android-app is a package and the SHA-256 of its certificate, such as com.example.app=0a1b….")
        }
        applications[String(parts[0]), default: []].insert(digest)
      }
      return applications
    }
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    configuration.attestation = try self.configuration()
  }

  /// - Throws: `CommandFailure`, which names the file.
  package func configuration() throws -> AttestationVerifier.Configuration {
    AttestationVerifier.Configuration(
      androidRoots: try TrustFiles.anchors(androidRoots), tpmRoots: try TrustFiles.anchors(tpmRoots),
      android: AndroidPolicy(applications: try applications),
      revoked: try TrustFiles.revoked(revokedCertificates),
      appAttestRoots: appAttestRoots.isEmpty ? .appleAppAttest : try TrustFiles.anchors(appAttestRoots))
  }
}

/// Reads files that an option or argument names.
package enum GivenFile {
  /// Returns the content of a file.
  ///
  /// - Parameter limit: Longest accepted file, in bytes.
  /// - Throws: `CommandFailure`, which names the file.
  package static func bytes(_ path: String, limit: Int = 4 << 20) throws -> [UInt8] {
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      throw unreadable(path, "it is a folder.", code: .invalid)
    }
    do { return try URL(filePath: path).bytes(atMost: limit) } catch is FileTooLong {
      throw CommandFailure(
        "\(printable(path)) is longer than \(limit) bytes and was not read. Check that it is the right file.",
        code: .invalid)
    } catch { throw unreadable(path, PlainReason.of(error), code: PlainReason.code(of: error)) }
  }

  /// - Parameter reason: The reason, as a sentence.
  package static func unreadable(_ path: String, _ reason: String, code: CommandFailure.Code)
    -> CommandFailure
  {
    CommandFailure(
      "\(printable(path)) cannot be read: \(reason) Check its name and who may read it.", code: code)
  }
}

/// Reads certificates and revocation lists that an operator trusts.
package enum TrustFiles {
  /// Longest serial number in digits: RFC 5280 §4.1.2.2 allows 20 bytes.
  private static let maximumDigits = 40

  /// The certificates in `paths`: files, or folders of `*.pem` and `*.crt`.
  package static func anchors(_ paths: [String]) throws -> TrustAnchors {
    let files = try paths.flatMap(files)
    let contents = try files.map { try GivenFile.bytes($0) }
    do throws(TrustAnchorError) { return try TrustAnchors(contents) } catch {
      throw CommandFailure(
        "\(files[error.index]) holds no readable certificate: \(printable(error.reason)). Give certificates in PEM.",
        code: .invalid)
    }
  }

  /// The serial numbers in a file, one per line, without empty lines and comments (`#`).
  package static func revoked(_ path: String?) throws -> RevokedSerialNumbers {
    guard let path else { return RevokedSerialNumbers() }
    var numbers: [String] = []
    let lines = String(decoding: try GivenFile.bytes(path), as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      guard !text.isEmpty, !text.hasPrefix("#") else { continue }
      let digits = text.filter { $0 != ":" }
      guard (1...maximumDigits).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isHexDigit })
      else {
        throw CommandFailure(
          "\(path), line \(index + 1), is not a serial number. Write one per line in hexadecimal, such as 0a1b2c.",
          code: .invalid)
      }
      numbers.append(text)
    }
    return RevokedSerialNumbers(numbers)
  }

  private static func files(_ path: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
      return [path]
    }
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: path).sorted() } catch {
      throw CommandFailure(
        "The folder \(path) cannot be read: \(PlainReason.of(error)) Check who may read it.",
        code: PlainReason.code(of: error))
    }
    let certificates = names.filter { $0.hasSuffix(".pem") || $0.hasSuffix(".crt") }
    guard !certificates.isEmpty else {
      throw CommandFailure(
        "The folder \(path) has no file *.pem or *.crt. Put the certificates there, or name a file.",
        code: .notFound)
    }
    return certificates.map { "\(path)/\($0)" }
  }
}
