public import Foundation
internal import PrivateFiles
internal import Bytes

/// The certificate authorities that a client trusts **instead of** the machine's, for servers whose certificate a private authority has
/// signed.
///
/// ```swift
/// let authorities = try CertificateAuthorities(contentsOf: URL(filePath: "/etc/example/authority.pem"))
/// let client = HttpClient.createClient { $0.certificateAuthorities = authorities }
/// ```
///
/// Verification stays on: name, time and chain of the server's certificate are checked as always. Apple's systems do not support such
/// clients: add the authority to the keychain or with a profile, or let a delegate of the app's session decide.
public struct CertificateAuthorities: Sendable, Hashable {
  /// The name of the file they come from, for messages.
  public let name: String

  /// The certificates alone, in PEM form.
  package let pem: [UInt8]

  /// The largest file that is read, in bytes: several times the certificates of a whole operating system.
  public static let maximumSize = 1 << 20

  /// The authorities of this task's clients that set none of their own, for programs whose commands share one choice.
  @TaskLocal package static var ofTask: CertificateAuthorities?

  /// The certificates of a file in PEM form. Text between them is ignored.
  ///
  /// - Throws: ``CertificateAuthoritiesError`` for a file that cannot be read, is empty, has more than ``maximumSize`` bytes, has no
  ///   certificate or a damaged one, or has a private key.
  public init(contentsOf file: URL) throws(CertificateAuthoritiesError) {
    let path = file.path(percentEncoded: false)
    func wrong(_ problem: String) -> CertificateAuthoritiesError { .init(file: path, problem: problem) }
    let bytes: [UInt8]
    do {
      // Reading a pipe would wait for a writer, and reading a device might never end.
      let values = try file.resolvingSymlinksInPath().resourceValues(forKeys: [.isRegularFileKey])
      guard values.isRegularFile == true else { throw wrong("it is not a file") }
      bytes = try file.bytes(atMost: Self.maximumSize)
    } catch let error as CertificateAuthoritiesError {
      throw error
    } catch is FileTooLong {
      throw wrong("it is longer than \(Self.maximumSize) bytes, too long for a list of authorities")
    } catch {
      throw wrong(FileReason.of(error).withoutFullStop)
    }
    try self.init(bytes, name: path)
  }

  /// The certificates of a file that the caller has read.
  ///
  /// - Throws: ``CertificateAuthoritiesError`` as ``init(contentsOf:)`` does for such content.
  package init(_ bytes: [UInt8], name path: String) throws(CertificateAuthoritiesError) {
    func wrong(_ problem: String) -> CertificateAuthoritiesError { .init(file: path, problem: problem) }
    do throws(PEMProblem) { pem = try Self.certificates(in: bytes) } catch { throw wrong(error.text) }
    guard Self.isSupported else {
      throw wrong(
        "Apple's systems do not read files of authorities; add the certificate to the keychain, and trust it there"
      )
    }
    name = path
  }

  #if canImport(FoundationNetworking)
    private static let isSupported = true
  #else
    private static let isSupported = false
  #endif

  private struct PEMProblem: Error { let text: String }

  /// Returns the certificates between their PEM markers, written anew, so that nothing else in the file reaches the library that parses it.
  private static func certificates(in bytes: [UInt8]) throws(PEMProblem) -> [UInt8] {
    guard bytes.contains(where: { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }) else {
      throw PEMProblem(text: "it is empty")
    }
    let (begin, end) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    var written: [String] = []
    var body: String?
    for line in String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = line.trimmingCharacters(in: .whitespaces)
      if line.hasPrefix("-----BEGIN"), line.contains("PRIVATE KEY") {
        throw PEMProblem(
          text: "it holds a private key; name a file that has the authority's certificate alone")
      }
      switch (line, body) {
      case (begin, nil): body = ""
      case (end, let text?):
        guard let der = PaddedBase64.decode(text), isWholeSequence(der) else {
          throw PEMProblem(text: "certificate \(written.count + 1) in it is damaged")
        }
        written.append("\(begin)\n\(text)\n\(end)\n")
        body = nil
      case (_, let text?): body = text + line
      case (_, nil): continue
      }
    }
    guard body == nil else { throw PEMProblem(text: "certificate \(written.count + 1) in it is cut off") }
    guard !written.isEmpty else {
      throw PEMProblem(
        text:
          "it has no certificate in PEM form (\(begin)); `openssl x509 -inform der -in FILE` makes one of DER"
      )
    }
    return written.flatMap { Array($0.utf8) }
  }

  /// Whether `der` is one DER SEQUENCE with nothing after it, as every certificate is.
  private static func isWholeSequence(_ der: [UInt8]) -> Bool {
    guard der.count > 4, der[0] == 0x30 else { return false }
    guard der[1] & 0x80 != 0 else { return der.count == 2 + Int(der[1]) }
    let count = Int(der[1] & 0x7F)
    guard (1...3).contains(count), der.count > 2 + count else { return false }
    let length = der[2..<(2 + count)].reduce(0) { $0 << 8 | Int($1) }
    return der.count == 2 + count + length
  }
}

/// Why a file of authorities cannot be used.
public struct CertificateAuthoritiesError: LocalizedError, Sendable, Hashable {
  /// The file's path.
  public let file: String

  /// What is wrong with the file, without a full stop.
  public let problem: String

  public var errorDescription: String? { "The authorities in \(file) cannot be used: \(problem)." }
  public var failureReason: String? { problem }
  public var recoverySuggestion: String? {
    "Name a file with the authority's certificate in PEM form that this program may read."
  }
}
