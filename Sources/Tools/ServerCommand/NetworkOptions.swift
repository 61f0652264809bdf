import ArgumentParser
import Assembly
import Foundation

/// The options for clients' access to a server: TLS, proxies, the cookie.
struct NetworkOptions: ParsableArguments, ServerOptionGroup {
  @Option(
    help: ArgumentHelp(
      """
      Certificate in PEM, followed by its chain: the server speaks TLS. It is loaded again when the files change, and on \
      SIGHUP.
      """, valueName: "file"), completion: .file())
  var tlsCertificate: String?

  @Option(
    help: ArgumentHelp(
      "Private key of the certificate in PEM, unencrypted. Others must not be able to read it.",
      valueName: "file"),
    completion: .file())
  var tlsKey: String?

  @Flag(help: "Speak plain HTTP on an address other than this machine's own, without a proxy in front.")
  var insecureHTTP = false

  @Option(
    help: ArgumentHelp(
      """
      Address or block of a proxy, such as 10.0.0.0/8, whose Forwarded and X-Forwarded-For, -Proto and -Host are believed. \
      Repeatable.
      """, valueName: "cidr"))
  var trustedProxy: [String] = []

  @Option(
    help: ArgumentHelp(
      "Name of the session cookie, and of the header with the same token; __Host-NAME needs https.",
      valueName: "name"))
  var cookieName = ServerConfiguration.standard.cookieName

  @Option(
    help: ArgumentHelp(
      "Path of the server on its host, such as /openam. With --public-url, give the path there, too.",
      valueName: "path"))
  var basePath = ServerConfiguration.standard.basePath

  func validate() throws {
    guard (tlsCertificate == nil) == (tlsKey == nil) else {
      throw ValidationError("--tls-certificate and --tls-key must be given together.")
    }
    do { _ = try BasePath(parsing: basePath) } catch { throw ValidationError("--base-path: \(error)") }
    do { _ = try blocks() } catch { throw ValidationError("--trusted-proxy: \(error)") }
  }

  func apply(to configuration: inout ServerConfiguration) throws {
    if let tlsCertificate, let tlsKey {
      configuration.tls = TLSFiles(certificate: URL(filePath: tlsCertificate), key: URL(filePath: tlsKey))
    }
    configuration.allowsInsecureHTTP = insecureHTTP
    configuration.trustedProxies = try blocks()
    configuration.cookieName = cookieName
    configuration.basePath = basePath
  }

  /// The scheme of the server's addresses.
  var scheme: String { tlsCertificate == nil ? "http" : "https" }

  private func blocks() throws(ServerSetupError) -> [AddressBlock] {
    var blocks: [AddressBlock] = []
    for text in trustedProxy { blocks.append(try AddressBlock(text)) }
    return blocks
  }
}
