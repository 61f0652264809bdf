import Foundation
import ServerCommand
import Testing

@testable import sealring

/// Lines that commands read.
@Suite struct StandardInputTests {
  /// Runs `body` as a command with this input.
  private func reading<Result: Sendable>(
    _ text: String, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    let (input, output) = (try ScratchFile(text), try ScratchFile())
    let process = CommandProcess(
      environment: [:], input: input.descriptor, output: output.descriptor, errors: output.descriptor)
    return try await process.run { try await body() }
  }

  @Test func `lines end with LF or CRLF, the last one with the input, and an empty one is a line`()
    async throws
  {
    let lines = try await reading("one\r\n\ntwo\rthree") {
      try await [
        StandardInput.shared.nextLine(), StandardInput.shared.nextLine(), StandardInput.shared.nextLine(),
        StandardInput.shared.nextLine(),
      ]
    }
    #expect(lines == ["one", "", "two\rthree", nil])
  }

  @Test(arguments: ["\n", "\r\n", ""])
  func `a line has 4096 bytes at most`(end: String) async throws {
    let longest = String(repeating: "a", count: 4096)
    #expect(try await reading(longest + end) { try await StandardInput.shared.nextLine() } == longest)
    for tooLong in [longest + "a" + end, longest + "\ra" + end] {
      await #expect(throws: CommandFailure.self) {
        try await reading(tooLong) { try await StandardInput.shared.nextLine() }
      }
    }
  }

  @Test func `what stands behind a line is the next reader's`() async throws {
    let rest = try await reading("secret\nthe file") {
      _ = try await StandardInput.shared.nextLine()
      return try InputFile(path: "-").read()
    }
    #expect(rest == Array("the file".utf8))
  }
}
