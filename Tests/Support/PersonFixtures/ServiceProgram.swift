#if os(Linux)
  internal import CommonFixtures
  internal import Concurrency
  import Foundation

  /// A program whose output a test reads, and which it ends and waits for on the thread it is on.
  struct ServiceProgram {
    private let program: SpawnedProgram
    /// Where its standard output can be read.
    private let output: FileHandle

    init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
      let (reading, writing) = try SpawnedProgram.pipe()
      defer { close(writing) }
      output = FileHandle(fileDescriptor: reading, closeOnDealloc: true)
      self.program = try SpawnedProgram(
        program, arguments, environment: SpawnedProgram.environment(environment),
        output: .descriptor(writing), errors: .nothing)
    }

    /// The first part of what it prints, as soon as there is some; empty when it prints nothing.
    func firstOutput() -> String { String(decoding: output.availableData, as: UTF8.self) }

    /// The next line that it prints, without its end, however many writes it comes in; what was left when it ended.
    ///
    /// It is not waited for on the threads that tasks share: what has to happen before the program prints may need those that tasks share.
    ///
    /// - Throws: ``FixtureError`` when the line has not ended after half a minute.
    func nextLine() async throws -> String {
      let end = Date(timeIntervalSinceNow: 30)
      return try await onOwnThread { try nextLine(until: end) }
    }

    private func nextLine(until end: Date) throws -> String {
      var line: [UInt8] = []
      var asked = pollfd(fd: output.fileDescriptor, events: Int16(POLLIN), revents: 0)
      while true {
        let ready = poll(&asked, 1, Int32(max(0, end.timeIntervalSinceNow * 1000)))
        if ready < 0, errno == EINTR { continue }
        try demand(ready > 0, "no whole line was printed, but \"\(String(decoding: line, as: UTF8.self))\"")
        guard let byte = try output.read(upToCount: 1)?.first, byte != UInt8(ascii: "\n") else {
          return String(decoding: line, as: UTF8.self)
        }
        line.append(byte)
      }
    }

    /// Waits for its end and returns everything that it printed.
    func finish() -> String {
      let text = String(decoding: output.readDataToEndOfFile(), as: UTF8.self)
      program.wait()
      return text
    }

    /// Ends it, and waits until it has ended.
    func end() {
      kill()
      program.wait()
    }

    /// Ends it; its place in the process table is kept for ``end()``.
    func kill() { program.send(SIGKILL) }
  }

  /// Why a fixture cannot be set up.
  package struct FixtureError: Error, CustomStringConvertible {
    package let description: String
  }

  /// - Throws: ``FixtureError`` unless `condition` holds.
  func demand(_ condition: Bool, _ problem: @autoclosure () -> String) throws {
    guard condition else { throw FixtureError(description: problem()) }
  }
#endif
