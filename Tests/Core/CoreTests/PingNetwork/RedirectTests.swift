import CommonFixtures
import Concurrency
import Foundation
import Testing

@testable import PingNetwork

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Redirects where an app's session is used: what the session carries never goes to another origin.
@Suite("Redirects of an app's session")
struct RedirectTests {
  /// An app's delegate that follows, and counts what it is asked.
  private final class Follower: NSObject, URLSessionTaskDelegate {
    let asked = Locked(0)
    let destination: String?

    /// - Parameter destination: Where it goes in place of where it is led; `nil` for there.
    init(to destination: String? = nil) { self.destination = destination }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
      asked.withLock { $0 += 1 }
      var request = request
      if let destination { request.url = URL(string: destination) }
      completionHandler(request)
    }
  }

  /// An app's delegate for something else.
  private final class Bystander: NSObject, URLSessionTaskDelegate {}

  private func send(
    to address: String, redirects: (any URLSessionTaskDelegate)?
  ) async throws -> (status: Int, body: String) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Authorization": "Bearer secret"]
    let transport = URLSessionTransport(
      configuration: configuration, maximumBodySize: 1 << 20, delegate: redirects, redirects: redirects)
    defer { transport.close() }
    var request = URLRequest(url: try #require(URL(string: address)))
    request.setValue("session", forHTTPHeaderField: "iPlanetDirectoryPro")
    let (body, head) = try await transport.send(request, deadline: 10)
    return (head.statusCode, String(decoding: body, as: UTF8.self))
  }

  @Test(arguments: ["301 Moved", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"])
  func `no header goes to another origin, whatever the delegate says`(status: String) async throws {
    let thief = try LocalServer { _ in answer("200 OK", body: "thanks") }
    let server = try LocalServer { _ in answer(status, headers: ["Location: \(thief.url)/a"]) }
    for delegate in [Follower(), Bystander(), nil] as [(any URLSessionTaskDelegate)?] {
      let (status, _) = try await send(to: server.url, redirects: delegate)
      #expect((300..<400).contains(status))
    }
    #expect(thief.requests.isEmpty)
  }

  @Test func `another name of this machine is another origin`() async throws {
    let server = try LocalServer { request in
      request.requestLine.contains("/end")
        ? answer("200 OK") : answer("302 Found", headers: ["Location: http://localhost:\(request.port)/end"])
    }
    #expect(try await send(to: server.url, redirects: Follower()).status == 302)
    #expect(server.requests.count == 1)
  }

  @Test func `a delegate that leads elsewhere is not followed there`() async throws {
    let thief = try LocalServer { _ in answer("200 OK") }
    let server = try LocalServer { _ in answer("302 Found", headers: ["Location: /b"]) }
    #expect(try await send(to: server.url, redirects: Follower(to: thief.url)).status == 302)
    #expect(thief.requests.isEmpty)
  }

  @Test func `within one origin a delegate decides`() async throws {
    let server = try LocalServer { request in
      request.requestLine.contains("/end")
        ? answer("200 OK", body: "end") : answer("302 Found", headers: ["Location: /end"])
    }
    let follower = Follower()
    #expect(try await send(to: server.url, redirects: follower).body == "end")
    #expect(follower.asked.withLock { $0 } == 1)
    #expect(try await send(to: server.url, redirects: nil).status == 302)
  }
}

extension LocalServer.Request {
  /// The port that the client has asked at.
  fileprivate var port: String {
    headers("Host").first?.split(separator: ":").last.map(String.init) ?? ""
  }
}
