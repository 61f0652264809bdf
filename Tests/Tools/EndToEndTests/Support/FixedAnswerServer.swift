import HTTPTypes
import Hummingbird
import Logging

/// A server on a free port that gives every request the same answer.
enum FixedAnswerServer {
  /// Runs it for the time of `body`, which gets its address.
  static func run<Result: Sendable>(
    status: Int, _ body: @escaping @Sendable (_ address: String) async throws -> Result
  ) async throws -> Result {
    let (ports, listening) = AsyncStream.makeStream(of: Int.self)
    let application = Application(
      responder: CallbackResponder { (_: Request, _: BasicRequestContext) in
        Response(
          status: .init(code: status), headers: [.contentType: "application/json"],
          body: ResponseBody(byteBuffer: ByteBuffer(string: #"{"message":"fixed answer"}"#)))
      },
      configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in listening.yield(channel.localAddress?.port ?? 0) },
      logger: Logger(label: "fixed answer") { _ in SwiftLogNoOpLogHandler() })
    return try await withThrowingTaskGroup(of: Result?.self) { group in
      group.addTask {
        defer { listening.finish() }
        try await application.run()
        return nil
      }
      group.addTask {
        for await port in ports { return try await body("http://127.0.0.1:\(port)/am") }
        return nil
      }
      defer { group.cancelAll() }
      while let finished = try await group.next() {
        if let finished { return finished }
      }
      throw CancellationError()
    }
  }
}
