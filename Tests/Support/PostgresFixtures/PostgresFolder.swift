import Foundation
import SoftwareTPM

/// Folders of clusters, and the programs that work in them.
enum PostgresFolder {
  /// A new one, which the user may use as whom PostgreSQL runs.
  static func make() throws -> URL {
    removeLeftovers()
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "sealring-pg-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try give(folder)
    return folder
  }

  /// A cluster that nobody has used, to be copied: making one takes seconds.
  private static let cluster = Task {
    let folder = try make()
    let made = try await child(
      "initdb",
      [
        "-D", "\(folder.path)/data", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C",
        "--no-sync",
      ],
      folder)
    guard await made.end() == 0 else {
      throw PostgresFixtureError("initdb failed: \(output(of: "initdb", in: folder))")
    }
    return folder
  }

  /// Makes a new cluster in `folder`.
  static func copyCluster(to folder: URL) async throws {
    let from = try await cluster.value
    let copied = try await child("cp", ["-a", "\(from.path)/data", "\(folder.path)/data"], folder)
    guard await copied.end() == 0 else {
      throw PostgresFixtureError("cp failed: \(output(of: "cp", in: folder))")
    }
  }

  /// Gives a file or folder to the user as whom PostgreSQL runs.
  static func give(_ place: URL) throws {
    guard geteuid() == 0 else { return }
    guard let user = getpwnam("postgres"), chown(place.path, user.pointee.pw_uid, user.pointee.pw_gid) == 0
    else { throw PostgresFixtureError("there is no user 'postgres'; apt-get install postgresql") }
  }

  /// Starts a program as a user whom PostgreSQL's programs run for. What it writes is in a file of its name.
  static func child(_ name: String, _ arguments: [String], _ folder: URL) async throws -> ChildProcess {
    var words = [try program(name)] + arguments
    if geteuid() == 0 {
      // The kernel forgets whose end ends the program when its user changes, so it is told again.
      words =
        [
          try Program.path(of: "setpriv", package: "util-linux"), "--reuid", "postgres", "--regid",
          "postgres",
          "--clear-groups", "--pdeathsig", "KILL", "--",
        ] + words
    }
    return try await ChildProcess.start(
      words[0], Array(words.dropFirst()), output: folder.appendingPathComponent("\(name).log"))
  }

  static func output(of program: String, in folder: URL) -> String {
    (try? String(contentsOf: folder.appendingPathComponent("\(program).log"), encoding: .utf8)) ?? ""
  }

  /// The path of a program of PostgreSQL; Debian keeps those of the server out of everybody's way.
  static func program(_ name: String) throws -> String {
    let place = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
    for version in versions.sorted(by: { (Int($0) ?? 0) > (Int($1) ?? 0) }) {
      let path = "\(place)/\(version)/bin/\(name)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    let other = "/usr/sbin/\(name)"
    if FileManager.default.isExecutableFile(atPath: other) { return other }
    return try Program.path(of: name, package: name == "pgbouncer" ? name : "postgresql")
  }

  /// Removes folders of processes that ended without doing so.
  private static func removeLeftovers() {
    let place = FileManager.default.temporaryDirectory
    let names = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
    for name in names where name.hasPrefix("sealring-pg-") {
      let parts = name.split(separator: "-")
      guard parts.count == 4, let process = pid_t(parts[2]), kill(process, 0) != 0, errno == ESRCH else {
        continue
      }
      try? FileManager.default.removeItem(at: place.appendingPathComponent(name))
    }
  }
}

/// A port of the loopback address that nobody has at the moment.
enum LoopbackPort {
  static func free() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw PostgresFixtureError("no free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}
