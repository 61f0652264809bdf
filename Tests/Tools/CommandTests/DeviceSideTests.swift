import ArgumentParser
import CommonFixtures
import Concurrency
import DeviceKeys
import Foundation
import JourneyStore
import PingBinding
import PingFido
import PingNetwork
import ServerCommand
import StrictJSON
import Testing

#if os(Linux)
  @testable import SecurityKeys
#endif

@testable import sealring

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What an attacker gets at through the command line's own doors: its settings, its network, its memory.
@Suite struct DeviceSideTests {
  // MARK: The chip's name

  @Test(arguments: ["option", "variable", "settings"])
  func `a name of a chip that runs a program is refused at every door`(door: String) async throws {
    try await withTemporaryFolder { folder in
      let mark = folder.appending(path: "ran")
      let name = "cmd:touch \(mark.path)"
      var tool = CommandLineTool(home: folder.appending(path: "client"))
      var arguments = ["keys", "list"]
      switch door {
      case "option": arguments += ["--tcti", name]
      case "variable": tool.environment["SEALRING_TCTI"] = name
      default:
        let file = folder.appending(path: "settings.toml")
        try Data("tcti = \"\(name)\"\n".utf8).write(to: file)
        tool.environment["SEALRING_CONFIG"] = file.path
      }
      for arguments in [arguments, ["doctor"] + arguments.dropFirst(2)] {
        let result = try await tool.run(arguments)
        #expect(result.status == 1, "\(arguments) \(result)")
        #expect((result.output + result.errors).contains("does not name a TPM"), "\(result)")
      }
      #expect(!FileManager.default.fileExists(atPath: mark.path))
    }
  }

  // MARK: What went wrong with TLS

  @Test(
    arguments: [
      (.unknown, "SSL certificate problem: self-signed certificate", true),
      (.unknown, "SSL: no alternative certificate subject name matches target host name 'a'", true),
      (.unknown, "SSL certificate problem: certificate has expired", true),
      (.serverCertificateUntrusted, "", true),
      (.unknown, "OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", false),
      (.secureConnectionFailed, "", false),
    ] as [(URLError.Code, String, Bool)])
  func `a certificate that does not verify is no server without TLS`(
    code: URLError.Code, text: String, isAboutCertificate: Bool
  ) {
    let reason = URLError(code, userInfo: [NSLocalizedDescriptionKey: text]).plainReason
    #expect(reason.contains("certificate is not trusted") == isAboutCertificate)
    #expect(!isAboutCertificate || !reason.contains("does not use TLS"))
  }

  // MARK: Memory

  #if os(Linux)
    @Test func `a command's memory is not dumped, and no other program may look at it`() async {
      await #expect(processExitsWith: .success) {
        ProcessMemory.protect()
        #expect(!ProcessMemory.isDumpable)
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        #expect(getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0)
        #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
      }
    }
  #endif

  // MARK: Pages without end

  /// A server whose lists of accounts and of push decisions go on with what `next` says, by the number of the page, the latter with empty
  /// pages, whose ledger has only `entry`, and whose journeys offer to enrol the device, many times on their first page.
  private final class EndlessPages: Sendable {
    let address: String
    let asked = Locked<[String]>([])
    private let listener: LoopbackListener

    init(entry: String = "{}", _ next: @escaping @Sendable (Int) -> String) throws {
      let listener = try LoopbackListener()
      self.listener = listener
      address = "http://127.0.0.1:\(listener.port)/am"
      Thread.detachNewThread { [asked] in
        while let connection = listener.accept() {
          defer { close(connection) }
          let request = Self.request(from: connection)
          let line = String(request.prefix { $0 != "\r\n" })
          var body =
            #"{"cookieName":"iPlanetDirectoryPro","tokenId":"token","result":"Successfully logged out"}"#
          if line.contains("/audit/evidence/") { body = entry }
          if line.contains("/audit/evidence?") { body = #"{"result":[\#(entry)]}"# }
          if line.contains("authIndexValue=Any") { body = Self.offers(at: listener.port) }
          if line.contains("/users/") {
            body = #"{"_id":"mira","_rev":"7","username":"mira","mail":["mira@example.com"]}"#
            asked.withLock { $0.append(request) }
          }
          if line.contains("/users?") || line.contains("/audit/push?") {
            let records = line.contains("/users?") ? #"{"username":"mira"}"# : ""
            let number = asked.withLock { asked in
              asked.append(line)
              return asked.count
            }
            body = #"{"result":[\#(records)],"pagedResultsCookie":"\#(next(number))"}"#
          }
          let answer =
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
            + body
          _ = answer.utf8.withContiguousStorageIfAvailable { send(connection, $0.baseAddress, $0.count, 0) }
        }
      }
    }

    deinit { listener.stop() }

    private static func offers(at port: UInt16) -> String {
      let address = Data("http://127.0.0.1:\(port)/am/push?_action=register".utf8).base64EncodedString()
      let secret = "cxuTnKC-fbhWq_LrudJUnQzxJIzke5CdM3rvhXkPoKU"
      let offers: [JSONValue] = (1...9).map { number in
        let uri =
          "mfauth://totp/Bank:a\(number)?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&s=\(secret)&c=\(secret)&m=REGISTER:\(number)&r=\(address)&a=\(address)"
        return [
          "type": "HiddenValueCallback", "input": [["name": "IDToken\(number)", "value": ""]],
          "output": [
            ["name": "value", "value": .string(uri)], ["name": "id", "value": "mfaDeviceRegistration"],
          ],
        ]
      }
      return JSONValue.object(["authId": "a", "callbacks": .array(offers)]).text
    }

    /// A whole request: what is left unread when the connection is closed can end it before the answer has arrived.
    private static func request(from connection: Int32) -> String {
      var request = ""
      var bytes = [UInt8](repeating: 0, count: 16 << 10)
      while case let count = read(connection, &bytes, bytes.count), count > 0 {
        request += String(decoding: bytes.prefix(count), as: UTF8.self)
        guard let head = request.range(of: "\r\n\r\n") else { continue }
        let length = request.firstMatch(of: /content-length: *([0-9]+)/.ignoresCase()).flatMap { Int($0.1) }
        if request[head.upperBound...].utf8.count >= length ?? 0 { break }
      }
      return request
    }
  }

  @Test func `a list of accounts that comes back to a page ends, and its cookie is escaped`() async throws {
    let server = try EndlessPages { _ in "a&_queryFilter=false#b" }
    let options = try ServerOptions.parse(["--server", server.address])
    await #expect(throws: CommandFailure.self) {
      try await AdministrationClient(server: options, token: "t").users()
    }
    let asked = server.asked.withLock { $0 }
    #expect(asked.count == 2)
    #expect(asked.last?.contains("_pagedResultsCookie=a%26_queryFilter%3Dfalse%23b ") == true, "\(asked)")
  }

  @Test func `an auditor who asks for an entry is not shown another one`() async throws {
    try await CommandSetup.run { setup in
      _ = try await setup.bind()
      let export = try await setup.tool.run(["audit", "export", "--data", setup.data, "-"]).output
      let entry = try #require(export.split(separator: "\n").first { $0.contains("\"jws\"") })
      let server = try EndlessPages(entry: String(entry)) { "\($0)" }
      let options = try ServerOptions.parse(["--server", server.address])
      let client = AdministrationClient(server: options, token: "t")
      _ = try await client.evidence(number: 1)
      await #expect(throws: CommandFailure.self) { _ = try await client.evidence(number: 2) }
      // Nor are entries of another realm taken for this one's.
      for (realm, status) in [("ALPHA", Int32(0)), ("beta", 1)] {
        for words in [["verify"], ["list"], ["show", "1"]] {
          let result = try await setup.tool.run(
            ["audit"] + words + ["--server", server.address, "--realm", realm])
          #expect(result.status == status, "\(words) \(realm): \(result.errors)")
          #expect(status == 0 || result.errors.contains("of realm alpha"), "\(words): \(result.errors)")
        }
      }
    }
  }

  // What somebody else has changed meanwhile, such as the address for recovery, would be undone.
  @Test func `an account is changed only as it was read`() async throws {
    let server = try EndlessPages { "\($0)" }
    let client = AdministrationClient(
      server: try ServerOptions.parse(["--server", server.address]), token: "t")
    try await client.update("mira", ["inetUserStatus": "Inactive"])
    let put = try #require(server.asked.withLock { $0.last })
    #expect(put.hasPrefix("PUT ") && put.lowercased().contains("if-match: \"7\""), "\(put)")
    #expect(put.contains("mira@example.com") && put.contains("Inactive"), "\(put)")
  }

  @Test(arguments: [(0, false), (1, true)])
  func `after a wrong PIN another one is advised only where it could be tried`(left: Int, isAdvised: Bool) {
    let failure = DeviceFailure.explain(
      .unAuthorize, triesLeft: PINTries(left: left, wrong: 3, wait: left == 0 ? 960 : 0, isOfChip: true))
    #expect(failure.description.hasPrefix("The PIN is wrong."))
    #expect(failure.description.contains("Run the command again") == isAdvised)
  }

  @Test func `a list of accounts that goes on for ever ends`() async throws {
    let server = try EndlessPages { "page \($0)" }
    let options = try ServerOptions.parse(["--server", server.address])
    await #expect(throws: CommandFailure.self) {
      try await AdministrationClient(server: options, token: "t").users(mostPages: 5)
    }
    #expect(server.asked.withLock { $0.count } == 5)
  }

  @Test func `the cookies of a list count as its pages do`() async throws {
    let server = try EndlessPages { "\($0)" + String(repeating: "x", count: 1000) }
    let options = try ServerOptions.parse(["--server", server.address])
    await #expect(throws: CommandFailure.self) {
      try await AdministrationClient(server: options, token: "t").users(mostBytes: 3000)
    }
    #expect(server.asked.withLock { $0.count } == 3)
  }

  @Test func `a list of audit records that goes on with empty pages ends`() async throws {
    let server = try EndlessPages { "\($0)" }
    let options = try ServerOptions.parse(["--server", server.address])
    await #expect(throws: CommandFailure.self) {
      try await AdministrationClient(server: options, token: "t").pushDecisions(EvidenceQuery(limit: 10))
    }
    #expect(server.asked.withLock { $0.count } == 1)
  }

  // Nobody is asked here, so that a server can enrol this device as often as it likes.
  @Test func `of a journey that enrols this device for push over and over little is kept`() async throws {
    try await withTemporaryFolder { folder in
      let server = try EndlessPages { "\($0)" }
      let tool = CommandLineTool(home: folder)
      let result = try await tool.run(["journey", "run", "Any", "--server", server.address])
      #expect(result.status == 1 && result.errors.contains("more than 5 enrolments"), "\(result.errors)")
      #expect(
        result.errors.components(separatedBy: "Enrolled for one-time codes").count == 6, "\(result.errors)")
      for list in [["oath", "list"], ["push", "credentials"]] {
        let kept = try await tool.run(list + ["--json"])
        #expect(try kept.json.arrayValue?.map { $0["accountName"] } == ["a5"], "\(kept.output)")
      }
    }
  }

  #if os(Linux)
    // MARK: The security key's PIN

    @Test func `a PIN that a security key refused when it confirmed is not tried when it registers`()
      async throws
    {
      let options = try PasskeyOptions.parse(["--authenticator", "security-key"])
      let server = try ServerOptions.parse([])
      let config = try options.config(
        server: server, username: "mira", secrets: Secrets(givenPassword: nil, givenPIN: "739184"))
      let making = try #require(config.securityKey).person
      let confirming = try #require(options.confirmingKey(config, server: server, username: "mira")).person
      func question(_ purpose: SecurityKeyUse.Purpose, isRepeated: Bool) -> SecurityKeyPINQuestion {
        SecurityKeyPINQuestion(
          use: SecurityKeyUse(
            purpose: purpose, key: "key", relyingPartyID: "localhost", userName: "", scope: nil),
          triesLeft: nil, isRepeated: isRepeated)
      }
      #expect(await confirming.pin(for: question(.signIn, isRepeated: false)) != nil)
      #expect(await confirming.pin(for: question(.signIn, isRepeated: true)) == nil)
      #expect(await making.pin(for: question(.register, isRepeated: false)) == nil)
    }
  #endif
}
