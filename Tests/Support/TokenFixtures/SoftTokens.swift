internal import CommonFixtures
package import Foundation
internal import RuntimeLibraries

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Darwin)
  internal import Darwin
#endif

/// Tokens of SoftHSM, a token in software. Its library reads its configuration once, so all tests of a process share it; each suite has
/// labels of its own, because who is logged in is known of a token, and for the whole process.
package enum SoftTokens {
  package static let module = "/usr/lib/softhsm/libsofthsm2.so"
  package static let pin = "271828"

  /// The folder of the tokens of this process, which lasts as long as that.
  package static let shared: Result<URL, any Error> = Result {
    let folder = try make(["sealring", "twin", "twin", "device", "changing", "keyless"], in: kept.url)
    setenv("SOFTHSM2_CONF", configuration(in: folder), 1)
    return folder
  }

  private static let kept = TemporaryFolder()

  /// The file that `SOFTHSM2_CONF` names.
  package static func configuration(in folder: URL) -> String { folder.appending(path: "softhsm2.conf").path }

  /// Makes tokens with these labels in a new folder.
  package static func make(_ labels: [String], in folder: URL) throws -> URL {
    try FileManager.default.createDirectory(
      at: folder.appending(path: "tokens"), withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    let configuration = configuration(in: folder)
    try "directories.tokendir = \(folder.path)/tokens\nlog.level = ERROR\n"
      .write(toFile: configuration, atomically: true, encoding: .utf8)
    for label in labels {
      let program = try SpawnedProgram(
        "softhsm2-util",
        ["--init-token", "--free", "--label", label, "--pin", pin, "--so-pin", "31415926"],
        environment: ["PATH": "/usr/bin:/bin", "SOFTHSM2_CONF": configuration],
        output: .file(folder.appending(path: "softhsm2-util.log")), errors: .output)
      guard program.wait() == 0 else {
        throw CocoaError(
          .executableLoad, userInfo: [NSDebugDescriptionErrorKey: "softhsm2-util; apt-get install softhsm2"])
      }
    }
    return folder
  }

  /// A copy of the module that lies (Tests/Support/LyingToken), with the fault `fault`.
  package static func liar(_ fault: String, in folder: URL) throws -> String {
    let built = try liar.get()
    let path = folder.appending(path: "liar-\(fault).so").path
    try FileManager.default.copyItem(atPath: built.path, toPath: path)
    return path
  }

  private static let liar: Result<URL, any Error> = Result {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "LyingToken/liar.c")
    let library = try shared.get().appending(path: "liar.so")
    // Swift brings it along.
    let compiler = try SpawnedProgram(
      "clang", ["-shared", "-fPIC", "-o", library.path, source.path, "-ldl"],
      environment: SpawnedProgram.environment([:]), output: .file(library.appendingPathExtension("log")),
      errors: .output)
    guard compiler.wait() == 0 else {
      throw CocoaError(.executableLoad, userInfo: [NSDebugDescriptionErrorKey: "clang: liar.c"])
    }
    return library
  }

  /// Has the module at `path` lie, or not.
  package static func set(_ path: String, lies: Bool) throws {
    if lies {
      try Data().write(to: URL(fileURLWithPath: path + ".on"))
    } else {
      try FileManager.default.removeItem(atPath: path + ".on")
    }
  }
}
