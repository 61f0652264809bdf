internal import Crypto
public import Foundation
package import NIOSSL
public import Operations
internal import PrivateFiles

/// Where a server's certificate and key are.
public struct TLSFiles: Sendable, Hashable {
  /// The certificate in PEM, and behind it those of the authorities between it and the root.
  public var certificate: URL

  /// Its private key in PEM, unencrypted.
  public var key: URL

  public init(certificate: URL, key: URL) {
    self.certificate = certificate
    self.key = key
  }
}

extension TLSFiles {
  /// When the server's own certificate is valid.
  ///
  /// - Throws: ``ServerSetupError`` when the server could not use the files.
  public func validity() throws(ServerSetupError) -> ClosedRange<Date> {
    _ = try load()
    guard let own = try Self.chain(in: certificate).first, own.notValidBefore <= own.notValidAfter else {
      throw ServerSetupError("\(certificate.path) is never valid.")
    }
    return Date(
      timeIntervalSince1970: TimeInterval(own.notValidBefore))...Date(
        timeIntervalSince1970: TimeInterval(own.notValidAfter))
  }

  /// A digest of the files, to detect changes without a second copy of the key in memory; `nil` while one cannot be read.
  package var fingerprint: [UInt8]? {
    guard let certificate = try? Self.bytes(of: certificate), let key = try? Self.bytes(of: key) else {
      return nil
    }
    return Array(SHA256.hash(data: certificate)) + Array(SHA256.hash(data: key))
  }

  /// TLS 1.2 and 1.3 with the files' certificate.
  ///
  /// - Throws: ``ServerSetupError`` that names the file and says what to do.
  package func load() throws(ServerSetupError) -> (configuration: TLSConfiguration, expiry: Date?) {
    let chain = try Self.chain(in: certificate)
    try Self.requirePrivate(key)
    let privateKey = try Self.key(in: key)
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    configuration.minimumTLSVersion = .tlsv12
    configuration.cipherSuites = Self.cipherSuites
    do { _ = try NIOSSLContext(configuration: configuration) } catch {
      throw ServerSetupError(
        "The key in \(key.path) does not belong to the first certificate in \(certificate.path): \(error). "
          + "Give the server's own certificate first, then the chain.")
    }
    return (configuration, chain.first.map { Date(timeIntervalSince1970: TimeInterval($0.notValidAfter)) })
  }

  /// For TLS 1.2: forward secrecy and authenticated encryption, as RFC 9325 §4.2 asks. TLS 1.3 has no others.
  private static let cipherSuites = "ECDHE+AESGCM:ECDHE+CHACHA20"

  /// More than any chain needs.
  private static let maximumBytes = 256 << 10

  private static func chain(in file: URL) throws(ServerSetupError) -> [NIOSSLCertificate] {
    let bytes = Array(try bytes(of: file))
    guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
      throw ServerSetupError(
        "\(file.path) does not contain a certificate in PEM (-----BEGIN CERTIFICATE-----).")
    }
    return chain
  }

  private static func key(in file: URL) throws(ServerSetupError) -> NIOSSLPrivateKey {
    let bytes = Array(try bytes(of: file))
    do { return try NIOSSLPrivateKey(bytes: bytes, format: .pem) } catch {
      throw ServerSetupError(
        "\(file.path) does not contain a readable private key in PEM. Decrypt an encrypted one, for example with "
          + "openssl pkey.")
    }
  }

  /// Anybody who can read the key can impersonate the server. The file's group may, as with Debian's `ssl-cert`.
  private static func requirePrivate(_ file: URL) throws(ServerSetupError) {
    let path = file.resolvingSymlinksInPath().path
    let mode = try? FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    guard let mode, mode & 0o007 == 0 else {
      throw ServerSetupError(
        "The key in \(file.path) can be read or changed by everybody on this machine. Run: chmod o= \(path)")
    }
  }

  private static func bytes(of file: URL) throws(ServerSetupError) -> Data {
    do { return Data(try file.bytes(atMost: maximumBytes)) } catch {
      throw ServerSetupError(
        "\(file.path) cannot be read: \(FileReason.of(error)) Check its name and who may read it.")
    }
  }
}
