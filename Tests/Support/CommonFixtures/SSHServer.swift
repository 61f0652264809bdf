package import Foundation
internal import RuntimeLibraries

/// OpenSSH's server on the loopback interface, for this user, and its client.
package struct SSHServer: Sendable {
  package let folder: URL
  package let port: UInt16

  /// Runs `body` with a server that takes the key whose line is `authorizedKey`.
  ///
  /// - Parameters:
  ///   - folder: Its key is the file `host` there, which is made when it is absent.
  ///   - settings: Further lines of sshd_config.
  package static func run(
    in folder: URL, authorizedKey: String, settings: [String] = [], _ body: (SSHServer) async throws -> Void
  ) async throws {
    let port = try LoopbackListener().port
    let server = SSHServer(folder: folder, port: port)
    if !FileManager.default.fileExists(atPath: server.path("host")) {
      let keys = try SpawnedProgram(
        "ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", server.path("host")],
        environment: SpawnedProgram.environment([:]), output: .nothing, errors: .nothing)
      guard await keys.end() == 0 else { throw POSIXError(.EIO) }
    }
    let host = try String(contentsOf: folder.appending(path: "host.pub"), encoding: .utf8)
      .split(separator: " ")
    try "[127.0.0.1]:\(port) \(host[0]) \(host[1])\n".write(
      to: folder.appending(path: "known_hosts"), atomically: true, encoding: .utf8)
    try (authorizedKey + "\n").write(
      to: folder.appending(path: "authorized_keys"), atomically: true, encoding: .utf8)
    try """
    Port \(port)
    ListenAddress 127.0.0.1
    HostKey \(server.path("host"))
    AuthorizedKeysFile \(server.path("authorized_keys"))
    PidFile none
    StrictModes no
    UsePAM no
    PasswordAuthentication no
    KbdInteractiveAuthentication no
    PermitRootLogin prohibit-password
    \(settings.joined(separator: "\n"))

    """.write(to: folder.appending(path: "sshd.conf"), atomically: true, encoding: .utf8)
    // sshd's own, for the part that has no rights; on a machine it is made at boot.
    try FileManager.default.createDirectory(atPath: "/run/sshd", withIntermediateDirectories: true)
    let process = try SpawnedProgram(
      "/usr/sbin/sshd", ["-D", "-f", server.path("sshd.conf"), "-E", server.path("sshd.log")],
      environment: SpawnedProgram.environment([:]), output: .nothing, errors: .nothing)
    do {
      try await eventually("sshd listens") {
        (try? String(contentsOf: folder.appending(path: "sshd.log"), encoding: .utf8))?
          .contains("Server listening") == true
      }
      try await body(server)
    } catch {
      process.send(SIGTERM)
      await process.end()
      throw error
    }
    process.send(SIGTERM)
    await process.end()
  }

  package func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

  /// The arguments of `ssh` that have `command` run at this server.
  package func arguments(_ command: String, options: [String] = []) -> [String] {
    [
      "-F", "none", "-p", String(port), "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-o",
      "UserKnownHostsFile=\(path("known_hosts"))", "-o", "PreferredAuthentications=publickey",
    ] + options + ["127.0.0.1", command]
  }

  /// Starts `ssh` with the agent at `socket`.
  package func ssh(
    _ command: String, options: [String] = [], agent socket: String, variables: [String: String] = [:]
  ) throws -> OpenSSHProgram {
    try OpenSSHProgram(
      "ssh", arguments(command, options: options), agent: socket, in: folder, variables: variables)
  }
}

/// A program of OpenSSH's client that is running.
package struct OpenSSHProgram: Sendable {
  private let process: SpawnedProgram
  private let files: (output: URL, errors: URL)

  /// - Parameters:
  ///   - folder: Where what it says is kept.
  ///   - script: What answers its questions for a passphrase.
  package init(
    _ program: String, _ arguments: [String], agent socket: String, in folder: URL,
    askingBy script: String? = nil, variables more: [String: String] = [:]
  ) throws {
    var variables = more.merging(["SSH_AUTH_SOCK": socket]) { $1 }
    if let script { variables.merge(["SSH_ASKPASS": script, "SSH_ASKPASS_REQUIRE": "force"]) { $1 } }
    let name = UUID().uuidString
    files = (folder.appending(path: "\(name).output"), folder.appending(path: "\(name).errors"))
    process = try SpawnedProgram(
      "/usr/bin/\(program)", arguments, environment: SpawnedProgram.environment(variables),
      output: .file(files.output), errors: .file(files.errors), leadsSession: true)
  }

  /// Its process.
  package var identifier: Int32 { process.identifier }

  package func send(_ signal: Int32) { process.send(signal) }

  /// Its exit code and what it said.
  package func finish() async -> (status: Int32, output: String, errors: String) {
    let status = await process.end()
    func text(_ file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }
    return (status, text(files.output), text(files.errors))
  }
}
