import CommonFixtures
import Foundation
import PingDeviceClient
import PingNetwork
import PingOidc
import PingPush
import ServerCommand
import Testing

@testable import sealring

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What no text for people has: words of the frameworks below.
enum PlainWords {
  private static let foreign = [
    "NSURLError", "Error Domain", "Code=", "UserInfo", "NSLocalized", "SQLite error", "libcurl", "curl",
    "OpenSSL",
    "SSL routines", "0A00010B", "DatabaseError", "URLError", "NIOSSL", "Foundation.",
    "could not connect to server",
    "connection to server at", "FATAL", "The operation could not be completed",
  ]

  static func check(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) {
    for words in foreign {
      #expect(!text.contains(words), "\(words): \(text)", sourceLocation: sourceLocation)
    }
    #expect(text.contains { $0.isLetter }, sourceLocation: sourceLocation)
  }
}

/// Errors of frameworks end in plain words, whatever way they come.
@Suite struct FrameworkErrorTests {
  /// All that Foundation has in `NSURLErrorDomain`, and numbers that it may get.
  private static let codes =
    [-1, -995, -996, -997, -998, -999] + (-1022 ... -1000) + [-1100, -1101, -1102, -1103, -1104]
    + (-1206 ... -1200) + [-2000] + (-3007 ... -3000) + [-4711, 0, 7]

  /// What libcurl and the libraries below it say, which FoundationNetworking hands on.
  private static let words = [
    "", "Could not connect to server", "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number",
    "SSL certificate problem: unable to get local issuer certificate",
    "SSL: no alternative certificate subject name matches target host name 'a'",
    "GnuTLS: The certificate is NOT trusted. The certificate issuer is unknown.", "Empty reply from server",
    "Error Domain=NSURLErrorDomain Code=-1004 \"(null)\"",
  ]

  private func ways(_ error: any Error) -> [any Error] {
    [
      error, PushError.networkFailure("The messages were not fetched.", error),
      DeviceError.networkError(error: error),
      OidcError.networkError(cause: error, message: nil),
    ]
  }

  @Test(arguments: codes) func `each failure of URLSession`(code: Int) {
    for words in Self.words {
      let info = words.isEmpty ? [:] : [NSLocalizedDescriptionKey: words]
      // Not every number has a code on every system.
      let known: URLError.Code? = URLError.Code(rawValue: code)
      let first = known.map { URLError($0, userInfo: info) as any Error }
      let bare = NSError(domain: NSURLErrorDomain, code: code, userInfo: info) as any Error
      for error in (first.map(ways) ?? []) + ways(bare) {
        let text = CommandFailure.of(error).description
        PlainWords.check(text)
        #expect(text.hasSuffix("."), "\(text)")
        PlainWords.check(CommandFailure.unreachable(at: "https://id.example", error).description)
      }
    }
  }

  @Test(arguments: [false, true])
  func `a request that was not sent is no unreachable server, and the advice names the option`(
    isWrapped: Bool
  ) throws {
    let refused = try #require(
      #expect(throws: InsecureAddressError.self) {
        try PlainHTTP.check("http://id.example/am", isAllowed: false)
      })
    let error: any Error = isWrapped ? NetworkError.invalidRequest(refused.explanation) : refused
    let failure = CommandFailure.unreachable(at: "http://id.example/am", error)
    #expect(failure.code == .refused && CommandFailure.of(error).code == .refused)
    #expect(
      failure.description.hasPrefix("Nothing was sent: ") && failure.description.contains("add --allow-http")
        && !failure.description.contains("allowsInsecureHTTP"), "\(failure.description)")
  }

  @Test func `what was wrong is told apart`() {
    func said(_ code: URLError.Code, _ words: String = "") -> String {
      CommandFailure.of(
        URLError(
          code,
          userInfo: [
            NSLocalizedDescriptionKey: words,
            NSURLErrorFailingURLErrorKey: URL(string: "https://id.example/am") as Any,
          ])
      ).description
    }
    #expect(said(.cannotConnectToHost).contains("nothing answers at that address"))
    #expect(said(.cannotFindHost).contains("no machine has the name id.example"))
    #expect(said(.timedOut).contains("did not answer in time"))
    #expect(
      said(.unknown, "SSL certificate problem: self-signed certificate").contains(
        "the certificate of id.example is signed by"))
    #expect(said(.unknown, "SSL certificate problem: certificate has expired").contains("has expired"))
    #expect(
      said(.unknown, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number").contains(
        "does not use TLS"))
    // Nobody is led to do without.
    for words in Self.words {
      let text = said(.unknown, words)
      #expect(!text.contains("--allow-http") && !text.contains("http://"), "\(text)")
    }
  }

  private struct Foreign: CustomNSError {
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: "UserInfo"] }
  }

  @Test func `an error of a framework that nobody has words for is named, not quoted`() {
    for error in [
      Foreign() as any Error, NSError(domain: "NSOSStatusErrorDomain", code: 5), CocoaError(.fileReadUnknown),
      POSIXError(.EACCES),
    ] {
      PlainWords.check(CommandFailure.of(error).description)
    }
  }

  // MARK: Commands

  @Test(arguments: [
    ["status"], ["user", "list"], ["session", "login", "--username", "mira", "--password-stdin"],
    ["devices", "list", "--username", "mira", "--password-stdin"],
    ["oidc", "device", "--client", "c"], ["app", "list"], ["audit", "list"], ["journey", "list"],
  ])
  func `a server that is down, and one without TLS`(arguments: [String]) async throws {
    try await CommandSetup.run { setup in
      let address = setup.server.address
      let wrong = try await setup.tool.run(
        arguments + ["--server", address.replacing("http:", with: "https:")],
        input: "\(CommandSetup.password)\n")
      #expect(wrong.status == 1 && wrong.errors.contains("TLS"), "\(wrong.errors)")
      PlainWords.check(wrong.errors)
      try await setup.server.stop()
      let down = try await setup.tool.run(
        arguments + ["--server", address], input: "\(CommandSetup.password)\n")
      #expect(down.status == 1 && down.errors.contains("nothing answers at that address"), "\(down.errors)")
      PlainWords.check(down.errors)
    }
  }

  @Test func `databases that cannot be used`() async throws {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(home: folder.appending(path: "client"))
      let data = folder.appending(path: "server")
      try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
      try Data(String(repeating: "no database ", count: 500).utf8).write(
        to: data.appending(path: "sealring.sqlite"))
      try Data(String(repeating: "k", count: 32).utf8).write(to: data.appending(path: "server.key"))
      for place in [
        ["--data", data.path], ["--data", data.path, "--database", "postgres://nobody@127.0.0.1:1/none"],
        ["--data", data.path, "--database", "postgres://nobody@nowhere.invalid/none"],
        ["--data", data.path, "--database", "postgres://127.0.0.1/none?sslmode=nonsense"],
      ] {
        let result = try await tool.run(["audit", "list"] + place)
        #expect(result.status == 1, "\(result.errors)")
        PlainWords.check(result.errors)
      }
    }
  }
}
