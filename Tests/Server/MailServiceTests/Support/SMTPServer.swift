import CommonFixtures
import Foundation
import StrictJSON

/// `smtp_server.py`, a process of its own.
final class SMTPServer: Sendable {
  let port: Int
  let folder: TemporaryFolder
  private let program: SpawnedProgram
  private let input: FileHandle
  private let output: FileHandle

  struct Failure: Error {}

  init(_ mode: String, _ options: String...) throws {
    folder = try TemporaryFolder.make()
    var script = URL(filePath: #filePath)
    for _ in 0..<4 { script.deleteLastPathComponent() }
    script.append(path: "Interoperability/smtp_server.py")
    let (inputs, outputs) = (try SpawnedProgram.pipe(), try SpawnedProgram.pipe())
    program = try SpawnedProgram(
      "/usr/bin/python3", [script.path, folder.url.path, mode] + options,
      environment: SpawnedProgram.environment([:]), input: .descriptor(inputs.reading),
      output: .descriptor(outputs.writing), errors: .inherited)
    close(inputs.reading)
    close(outputs.writing)
    input = FileHandle(fileDescriptor: inputs.writing, closeOnDealloc: true)
    output = FileHandle(fileDescriptor: outputs.reading, closeOnDealloc: true)
    guard let port = Int(Self.line(output)) else { throw Failure() }
    self.port = port
  }

  /// The next message.
  func message() throws -> JSONObject {
    guard let message = try JSONValue(parsing: Self.line(output)).objectValue else { throw Failure() }
    return message
  }

  var authorities: String { folder.url.appending(path: "ca.pem").path }

  private static func line(_ output: FileHandle) -> String {
    var bytes: [UInt8] = []
    while let byte = try? output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }

  deinit {
    try? input.close()
    program.wait()
  }
}
