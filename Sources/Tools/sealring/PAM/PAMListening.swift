#if os(Linux)
  import Agent
  import Concurrency
  import Foundation
  import PAMAgent

  extension AgentSocket {
    /// Listens at a path, and prints it.
    static func announced(at path: String) throws -> AgentSocket {
      let socket = try listen(at: URL(filePath: path))
      Output.line("listening at \(socket.file.path(percentEncoded: false))")
      return socket
    }

    /// Answers all connections, several at once, until the socket takes no more.
    ///
    /// - Parameters:
    ///   - most: The most open connections; further ones are closed.
    ///   - idle: The seconds without a connection after which this returns.
    func serve(
      most: Int, while idle: Int32? = nil, _ answer: @escaping @Sendable (PAMChannel) async -> Void
    ) async {
      let open = Locked(0)
      while true {
        let connection = await Task.detached { self.connection(within: idle) }.value
        guard let connection else {
          // A question may still be open.
          if idle != nil, open.withLock({ $0 }) > 0 { continue }
          return
        }
        guard let channel = PAMChannel(connection), open.withLock({ $0 }) < most else {
          close(connection)
          continue
        }
        open.withLock { $0 += 1 }
        Task {
          await answer(channel)
          close(connection)
          open.withLock { $0 -= 1 }
        }
      }
    }
  }
#endif
