import CommonFixtures
import Foundation
import Assembly
import PingLogger
import PingNetwork
import PushServiceFixtures
import ServerHTTP
import StrictJSON
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// `--ca-file`: a server whose certificate a private authority has signed.
@Suite(.timeLimit(.minutes(2))) struct AuthorityFileTests {
  private struct Scene {
    let address: String
    let tool: CommandLineTool
    let folder: URL

    var authority: String { path("authority.pem") }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    func run(
      _ arguments: [String], trusting file: String?, input: String = ""
    ) async throws -> CommandResult {
      try await tool.run(
        arguments + ["--server", address] + (file.map { ["--ca-file", $0] } ?? []), input: input)
    }
  }

  private func scene(_ body: (Scene) async throws -> Void) async throws {
    try await withTemporaryFolder { folder in
      let certificates = try TestCertificates()
      let (chain, key) = (folder.appending(path: "chain.pem"), folder.appending(path: "key.pem"))
      try Data(certificates.chainPEM.utf8).write(to: chain)
      try Data(certificates.keyPEM.utf8).write(to: key)
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key.path)
      try Data(certificates.authorityPEM.utf8).write(to: folder.appending(path: "authority.pem"))
      try Data(try TestCertificates().authorityPEM.utf8).write(to: folder.appending(path: "other.pem"))
      let server = try await LocalServer.start(data: folder.appending(path: "server")) {
        $0.tls = TLSFiles(certificate: chain, key: key)
      }
      let tool = CommandLineTool(
        home: folder.appending(path: "client"),
        environment: ["SEALRING_ADMIN_PASSWORD": LocalServer.administratorPassword])
      try await body(Scene(address: "https://localhost:\(server.port)/am", tool: tool, folder: folder))
      try await server.stop()
    }
  }

  @Test func `commands of every kind work with the authority's file`() async throws {
    try await scene { scene in
      let (password, pin) = (CommandSetup.password, CommandSetup.pin)
      let user = ["--username", "mira"]
      let story: [(arguments: [String], input: String)] = [
        (["status"], ""), (["user", "add", "mira", "--password-stdin"], password + "\n"),
        (
          ["bind", "--password-stdin", "--pin-stdin", "--store", "software"] + user,
          "\(password)\n\(pin)\n"
        ),
        (["sign", "--pin-stdin"] + user, pin + "\n"),
        (["devices", "list", "--password-stdin"] + user, password + "\n"),
        (["journey", "list"], ""), (["session", "login", "--password-stdin"] + user, password + "\n"),
        (["session", "whoami"] + user, ""),
      ]
      for (arguments, input) in story {
        let result = try await scene.run(arguments, trusting: scene.authority, input: input)
        #expect(result.status == 0, "\(arguments): \(result.errors)")
      }
    }
  }

  @Test
  func `without it the refusal names host, authority and option, and with another authority's the file`()
    async throws
  {
    try await scene { scene in
      for arguments in [
        ["status"], ["user", "list"], ["session", "login", "--username", "mira", "--password-stdin"],
      ] {
        let input = CommandSetup.password + "\n"
        let refused = try await scene.run(arguments, trusting: nil, input: input)
        #expect(refused.status == 1)
        for part in [
          "the certificate of localhost is signed by an authority that this machine does not know",
          "--ca-file FILE",
          "somebody else may be answering",
        ] { #expect(refused.errors.contains(part), "\(arguments): \(refused.errors)") }
        // The machine's authorities are replaced, not joined: this is the only one.
        let other = try await scene.run(arguments, trusting: scene.path("other.pem"), input: input)
        #expect(other.status == 1)
        #expect(
          other.errors.contains("is signed by an authority that is not in \(scene.path("other.pem"))"),
          "\(other.errors)")
        for words in [refused.errors, other.errors] { PlainWords.check(words) }
      }
    }
  }

  @Test func `a name that the certificate does not have is refused with the right authority, too`()
    async throws
  {
    try await scene { scene in
      let address = scene.address.replacing("localhost", with: "127.0.0.1")
      let result = try await scene.tool.run(["status", "--server", address, "--ca-file", scene.authority])
      #expect(
        result.status == 1 && result.errors.contains("the certificate is not for 127.0.0.1"),
        "\(result.errors)")
    }
  }

  @Test func `the setting and a profile name it, and the option wins`() async throws {
    try await scene { scene in
      var tool = scene.tool
      tool.environment["SEALRING_CA_FILE"] = scene.path("other.pem")
      let status = ["status", "--server", scene.address]
      #expect(try await tool.run(status).status == 1)
      let given = try await tool.run(status + ["--ca-file=\(scene.authority)"])
      #expect(given.status == 0, "\(given.errors)")
      tool.environment["SEALRING_CA_FILE"] = scene.authority
      let set = try await tool.run(status)
      #expect(set.status == 0, "\(set.errors)")
      // `profile add` stored nothing: the program's own option of that name took the value.
      for add in [["--ca-file", scene.authority], ["--ca-file=\(scene.authority)"]] {
        let profile = try await scene.tool.run(["profile", "add", "own", "--server", scene.address] + add)
        #expect(profile.status == 0, "\(profile.errors)")
        #expect(try await scene.tool.run(["status"]).status == 0)
        #expect(try await scene.tool.run(["profile", "delete", "own", "--yes"]).status == 0)
      }
      let unusable = try await scene.tool.run([
        "profile", "add", "own", "--server", scene.address, "--ca-file", scene.path("none.pem"),
      ])
      #expect(unusable.status == 1 && unusable.errors.contains("none.pem"), "\(unusable.errors)")
      let setting = try await scene.tool.run(["config", "set", "ca-file", scene.authority])
      #expect(setting.status == 0, "\(setting.errors)")
      #expect(try await scene.tool.run(status).status == 0)
    }
  }

  @Test func `a stream and a large answer come by the same authority, and the limit on answers holds`()
    async throws
  {
    try await scene { scene in
      let authorities = try CertificateAuthorities(contentsOf: URL(filePath: scene.authority))
      let client = URLSessionHttpClient.createClient {
        $0.logger = LogManager.none
        $0.certificateAuthorities = authorities
        $0.maximumBodySize = 64
      }
      let request = client.request()
      request.url = scene.address + "/json/serverinfo/version"
      request.get()
      let stream = try await client.stream(request: request, idleTimeout: 10)
      var body = Data()
      for try await piece in stream.body { body += piece }
      let answer = try JSONValue(parsing: body)
      #expect(stream.status == 200 && answer["version"] != nil)
      let page = await client.request {
        $0.url = scene.address + "/XUI/"
        $0.get()
      }
      guard case .failure(NetworkError.invalidResponse(let reason)) = page else {
        Issue.record("\(page)")
        return
      }
      #expect(reason.contains("64 bytes"))
      client.close()
      let closed = await client.request(request: request)
      #expect(throws: NetworkError.self) { try closed.get() }
    }
  }

  // MARK: Files that are none

  private static let files: [(name: String, content: String?, said: String)] = [
    ("missing", nil, "No such file or directory"), ("empty", "", "it is empty"),
    ("blank", "\n \n", "it is empty"),
    ("words", "no certificate", "has no certificate in PEM form"),
    ("key", "-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n", "holds a private key"),
    (
      "base64", "-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n",
      "certificate 1 in it is damaged"
    ),
    (
      "der", "-----BEGIN CERTIFICATE-----\nMIIBAAAA\n-----END CERTIFICATE-----\n",
      "certificate 1 in it is damaged"
    ),
    ("cut", "-----BEGIN CERTIFICATE-----\nMIIB\n", "certificate 1 in it is cut off"),
    ("huge", String(repeating: "x", count: 1 << 20 + 1), "longer than 1048576 bytes"),
  ]

  @Test(arguments: files)
  func `a file that is no list of authorities is refused before anything is sent`(
    name: String, content: String?, said: String
  ) async throws {
    try await withTemporaryFolder { folder in
      let file = folder.appending(path: name)
      if let content { try Data(content.utf8).write(to: file) }
      let tool = CommandLineTool(home: folder.appending(path: "client"))
      let result = try await tool.run(
        ["status", "--json", "--server", "https://localhost:1/am", "--ca-file", file.path])
      #expect(result.status == 1)
      let error = try JSONValue(parsing: result.errors.trimmingCharacters(in: .newlines))["error"]
      #expect(error?["code"] == "invalid", "\(result.errors)")
      #expect(error?["message"]?.stringValue?.contains(said) == true, "\(result.errors)")
    }
  }

  @Test
  func
    `a folder, a pipe and an option without its value are refused, and commands without a server do not care`()
    async throws
  {
    try await withTemporaryFolder { folder in
      let tool = CommandLineTool(
        home: folder.appending(path: "client"), environment: ["SEALRING_CA_FILE": "/none"])
      let pipe = folder.appending(path: "pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      for path in [folder.path, pipe] {
        let result = try await tool.run(["status", "--ca-file", path])
        #expect(result.status == 1 && result.errors.contains("it is not a file"), "\(result.errors)")
      }
      #expect(try await tool.run(["status", "--ca-file"]).status == 64)
      let serve = try await tool.run(["serve", "--ca-file", pipe])
      #expect(serve.status == 64 && serve.errors.contains("--tls-certificate"), "\(serve.errors)")
      for arguments in [["config", "show"], ["profile", "list"], ["status", "--help"]] {
        #expect(try await tool.run(arguments).status == 0, "\(arguments)")
      }
      let named = try await tool.run(["status"])
      #expect(named.status == 1 && named.errors.contains("SEALRING_CA_FILE"), "\(named.errors)")
    }
  }
}
