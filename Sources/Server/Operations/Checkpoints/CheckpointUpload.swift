internal import AsyncHTTPClient
package import Foundation
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import PrivateFiles

/// Sends checkpoints to somebody who keeps them: PUT over https, with a bearer token.
package struct CheckpointUpload: Sendable {
  private let address: URL
  private let tokenFile: URL?

  private static let longestToken = 4096
  private static let patience = TimeAmount.seconds(30)

  /// - Throws: ``ServerSetupError`` when the address is not one of https, or of http on this machine, or holds a password.
  package init(_ address: URL, tokenFile: URL?) throws(ServerSetupError) {
    let isLocal = ["127.0.0.1", "::1", "localhost"].contains(address.host() ?? "")
    guard address.scheme == "https" || address.scheme == "http" && isLocal, address.host() != nil else {
      throw ServerSetupError("Checkpoints are sent to an https address.")
    }
    guard address.user() == nil, address.password() == nil else {
      throw ServerSetupError(
        "The address for checkpoints must not hold a name or password. Use a token file.")
    }
    self.address = address
    self.tokenFile = tokenFile
  }

  /// The address in messages: without its query, which may be a secret.
  package var place: String {
    "\(address.scheme ?? "")://\(address.host() ?? "")\(address.port.map { ":\($0)" } ?? "")\(address.path())"
  }

  /// Sends a checkpoint. No redirect is followed, because it would carry the token to a stranger.
  ///
  /// - Throws: ``Failure``, which names no token.
  package func send(_ checkpoint: [UInt8]) async throws(Failure) {
    var request = HTTPClientRequest(url: address.absoluteString)
    request.method = .PUT
    request.headers.add(name: "Content-Type", value: "application/json")
    if let tokenFile { request.headers.add(name: "Authorization", value: "Bearer \(try token(tokenFile))") }
    request.body = .bytes(checkpoint)
    var tls = TLSConfiguration.makeClientConfiguration()
    tls.minimumTLSVersion = .tlsv12
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: tls, redirectConfiguration: .disallow,
      timeout: .init(connect: Self.patience, read: Self.patience))
    configuration.httpVersion = .http1Only
    let client = HTTPClient(
      eventLoopGroupProvider: .shared(MultiThreadedEventLoopGroup.singleton), configuration: configuration)
    let status: Int
    do {
      status = Int(try await client.execute(request, timeout: Self.patience).status.code)
      try await client.shutdown()
    } catch {
      try? await client.shutdown()
      throw Failure(
        "\(place) cannot be reached (\((error as? HTTPClientError)?.shortDescription ?? "\(type(of: error))"))."
      )
    }
    guard (200..<300).contains(status) else { throw Failure("\(place) answered \(status).") }
  }

  private func token(_ file: URL) throws(Failure) -> String {
    let bytes: [UInt8]?
    do { bytes = try ProtectedFiles.read(file, limit: Self.longestToken) } catch {
      throw Failure("The token in \(file.path) cannot be read.")
    }
    let text = String(decoding: bytes ?? [], as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    // RFC 6750 §2.1
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw Failure("\(file.path) does not hold a token.")
    }
    return text
  }

  /// Why a checkpoint did not arrive.
  package struct Failure: Error, CustomStringConvertible {
    /// One sentence.
    package let description: String

    init(_ description: String) { self.description = description }
  }
}
