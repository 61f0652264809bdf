import ArgumentParser
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import ServerCommand

/// `sealring-server health`: for container engines and monitors that run a program and check its exit code.
struct HealthCheck: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "health",
    abstract: "Ask a running server whether it works: exit code 0 if it does, else 1.",
    discussion:
      "With TLS, give the address that the certificate names, such as https://id.example.com/health."
  )

  @Option(help: ArgumentHelp("The address to ask.", valueName: "url"))
  var url = "http://127.0.0.1:8080/health"

  @Option(help: "Seconds to wait for the answer.")
  var timeout = 3

  @Option(
    help: ArgumentHelp(
      "Accept certificates that are signed by an authority in this PEM file, and no others. Default: $SEALRING_CA_FILE, else the machine's authorities.",
      valueName: "file"),
    completion: .file(extensions: ["pem", "crt"]))
  var caFile: String?

  func validate() throws {
    guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
      throw ValidationError("--url begins with http:// or https://.")
    }
    try (1...60).require(timeout, for: "--timeout", unit: " of seconds")
  }

  func run() async throws {
    let configuration = try configuration()
    let response: HTTPClientResponse
    do {
      response = try await HTTPClient.withHTTPClient(configuration: configuration) { client in
        try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(Int64(timeout)))
      }
    } catch {
      throw CommandFailure.unreachable(
        "\(printable(url)) does not answer. Check that the server runs, its address, and with TLS that the certificate names it "
          + "and, if a private authority has signed it, --ca-file.")
    }
    guard response.status.code == 200 else {
      throw CommandFailure(
        "\(printable(url)) answered \(response.status.code). The server's log has the reason.")
    }
    Output.line("healthy")
  }

  /// - Throws: `CommandFailure` for a file without certificates.
  private func configuration() throws -> HTTPClient.Configuration {
    guard let caFile = caFile ?? CommandProcess.current.environment["SEALRING_CA_FILE"], !caFile.isEmpty
    else {
      return HTTPClient.Configuration()
    }
    guard let authorities = try? NIOSSLCertificate.fromPEMFile(caFile), !authorities.isEmpty else {
      throw CommandFailure.invalid(
        "\(printable(caFile)), which --ca-file or SEALRING_CA_FILE names, cannot be read, or has no certificates in PEM."
      )
    }
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.trustRoots = .certificates(authorities)
    return HTTPClient.Configuration(tlsConfiguration: tls)
  }
}
