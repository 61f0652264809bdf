#if os(Linux)
  internal import Bytes
  internal import Concurrency
  package import Foundation
  internal import RuntimeLibraries
  internal import TerminalText

  /// Accepts connections of this user's programs and runs an ``AgentConversation`` for each, on a thread of its own, because connections
  /// are few and they block.
  package final class AgentListener: Sendable {
    private let socket: AgentSocket
    private let log: AgentLog
    private let conversation: @Sendable (Caller) -> any AgentConversation
    private let user: UInt32
    private let clock: @Sendable () -> Date
    private let limits = Locked(CallerLimits())

    package init(
      _ socket: AgentSocket, log: AgentLog, clock: @escaping @Sendable () -> Date = { Date() },
      conversation: @escaping @Sendable (Caller) -> any AgentConversation
    ) {
      (self.socket, self.log, self.conversation, user) = (socket, log, conversation, geteuid())
      self.clock = clock
    }

    /// The number of open connections.
    package var connections: Int { limits.withLock { $0.connections } }

    /// Accepts connections on a thread of its own, until the process ends or ``stop()``.
    package func start() { Thread.detachNewThread { [self] in accept() } }

    /// Accepts no further connections.
    package func stop() { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }

    private func accept() {
      while let connection = socket.connection() {
        guard let caller = Caller(connection: connection), caller.user == user else {
          log.note("Refused a connection of another user.")
          close(connection)
          continue
        }
        guard limits.withLock({ $0.admits(caller.process, at: clock()) }) else {
          close(connection)
          continue
        }
        Thread.detachNewThread { [self] in
          if let watch = CallerWatch(caller) {
            converse(connection, watch, conversation(caller), with: caller)
            watch.end()
          }
          close(connection)
          limits.withLock { $0.ended(caller.process) }
        }
      }
    }

    private func converse(
      _ connection: Int32, _ watch: CallerWatch, _ conversation: any AgentConversation, with caller: Caller
    ) {
      let type = type(of: conversation)
      while let header = AgentConnection.receive(4, from: connection, firstWait: -1, watch) {
        let length = header.reduce(0) { $0 << 8 | Int($1) }
        // A message that is too long is refused; what follows it cannot be understood.
        guard (1...type.maximumBytes).contains(length) else {
          send(type.refusal, to: connection)
          return
        }
        guard let message = AgentConnection.receive(length, from: connection, watch), watch.isSame,
          !limits.withLock({ $0.isPaused(caller.process, at: clock()) }),
          let reply = answer(message, of: conversation, at: connection, watch)
        else {
          return
        }
        // Counted before the caller gets the answer, because it may then ask on another connection.
        let isLast = reply == type.refusal && failed(caller)
        guard send(reply, to: connection), !isLast else { return }
      }
    }

    /// Counts a failure, and returns whether it starts a pause, which is logged once.
    private func failed(_ caller: Caller) -> Bool {
      guard let pause = limits.withLock({ $0.failed(caller.process, at: clock()) }) else { return false }
      log.refuse(
        caller, "connections",
        "\(CallerLimits.mostFailures) requests have failed: it is not answered for \(TerminalText.duration(pause))."
      )
      return true
    }

    /// Returns the answer; `nil` when the caller went away meanwhile, which also takes the question away.
    private func answer(
      _ message: [UInt8], of conversation: any AgentConversation, at connection: Int32, _ watch: CallerWatch
    ) -> [UInt8]? {
      guard let done = try? SpawnedProgram.pipe() else { return nil }
      defer { close(done.reading) }
      let result = Locked<[UInt8]?>(nil)
      let task = Task.detached {
        let reply = await conversation.reply(to: message)
        result.withLock { $0 = reply }
        // The end of the file makes the pipe readable.
        close(done.writing)
      }
      var isThere = true
      while true {
        // POLLRDHUP, which Glibc's module leaves out: the other end was closed.
        var waiting = [pollfd(fd: done.reading, events: Int16(POLLIN), revents: 0)]
        if isThere {
          waiting.append(pollfd(fd: connection, events: 0x2000, revents: 0))
          waiting.append(pollfd(fd: watch.descriptor, events: Int16(POLLIN), revents: 0))
        }
        let ready = poll(&waiting, nfds_t(waiting.count), -1)
        if ready < 0, errno == EINTR { continue }
        if isThere, waiting[1].revents != 0 || waiting[2].revents != 0 {
          isThere = false
          task.cancel()
        }
        if waiting[0].revents != 0 { return isThere ? result.withLock { $0 } : nil }
      }
    }

    /// Sends an answer, preceded by its length.
    @discardableResult private func send(_ answer: [UInt8], to connection: Int32) -> Bool {
      AgentConnection.send(UInt32(answer.count).bigEndianBytes + answer, to: connection)
    }
  }
#endif
