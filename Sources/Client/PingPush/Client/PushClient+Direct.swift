public import Foundation
internal import PingLogger
internal import PushFormats

extension PushClient {
  /// Fetches the messages that servers keep for this device, and stores them as notifications.
  ///
  /// - Parameters:
  ///   - wait: How long to wait for a new message when there is none, in seconds, at most 30.
  ///   - credentialId: The credential to ask for; all of them when `nil`.
  /// - Returns: All fetched notifications that await an answer, the newest first, whether new or known.
  /// - Throws: ``PushError/credentialNotFound(_:)``; ``PushError/networkFailure(_:_:)`` when no server answered.
  @discardableResult
  public func fetchNotifications(
    wait: TimeInterval = 0, credentialId: String? = nil
  ) async throws -> [PushNotification] {
    try await gate.run {
      let credentials: [PushCredential]
      if let credentialId {
        guard let credential = try await credential(credentialId) else {
          throw PushError.credentialNotFound(credentialId)
        }
        credentials = [credential]
      } else {
        credentials = try await allCredentials()
      }
      let seconds = Int(max(0, min(wait, 30)))
      return try await delivery.run { [self] in try await fetch(credentials, wait: seconds) }
    }
  }

  private func fetch(_ credentials: [PushCredential], wait: Int) async throws -> [PushNotification] {
    guard !credentials.isEmpty else { return [] }
    let known = Set(try await storedPending().map(\.id))
    return try await withThrowingTaskGroup(of: Result<[PushNotification], any Error>.self) { group in
      for credential in credentials {
        group.addTask { [self] in
          do {
            let messages = try await delivery.poll(credential, wait: wait)
            return .success(await receive(messages))
          } catch { return .failure(error) }
        }
      }
      var received: [PushNotification] = []
      var failures: [any Error] = []
      for try await result in group {
        switch result {
        case .success(let notifications):
          received += notifications
          // Do not wait for other servers while there is something to answer.
          if wait > 0, notifications.contains(where: { !known.contains($0.id) }) { group.cancelAll() }
        case .failure(let error): failures.append(error)
        }
      }
      try Task.checkCancellation()
      if failures.count == credentials.count, let failure = failures.first { throw failure }
      if received.isEmpty { for failure in failures { logger.w("A server was not polled", error: failure) } }
      return received.sorted { $0.createdAt > $1.createdAt }
    }
  }

  /// Stores messages, and returns the notifications that await an answer.
  private func receive(_ messages: [DeliveredPushMessage]) async -> [PushNotification] {
    var notifications: [PushNotification] = []
    for message in messages {
      do {
        guard let notification = try await process(PushPayload(message)),
          notification.isPending(at: dependencies.now())
        else { continue }
        notifications.append(notification)
      } catch {
        logger.w("A message that was fetched was refused", error: error)
      }
    }
    return notifications
  }

  /// The servers' questions for this device as they arrive, starting with those already waiting.
  ///
  /// Each credential keeps a connection to its server (server-sent events), or polls when the server has no stream. Broken
  /// connections are reopened with growing pauses, and credentials that are added later are included. Every notification is
  /// yielded once. The sequence ends with the client, or with the task that reads it.
  public func notifications() -> AsyncStream<PushNotification> {
    let (stream, continuation) = AsyncStream.makeStream(of: PushNotification.self)
    let task = Task { [self] in
      _ = try? await gate.run {
        try await delivery.run { [self] in await supervise(continuation) }
      }
      continuation.finish()
    }
    continuation.onTermination = { _ in task.cancel() }
    return stream
  }

  /// The number of yielded notifications that a sequence remembers: more than a device keeps for all its credentials. A notification
  /// that returns after so many others was cleaned up long ago.
  static let announcedLimit = 4096

  private func supervise(_ continuation: AsyncStream<PushNotification>.Continuation) async {
    let announced = RecentValues<Void>(limit: Self.announcedLimit)
    var listeners: [String: Task<Void, Never>] = [:]
    for await _ in delivery.changes() {
      var credentials: [PushCredential]?
      while credentials == nil, !Task.isCancelled {
        do { credentials = try await storage.getAllPushCredentials() } catch {
          logger.w("The credentials to listen for were not read; trying again", error: error)
          await dependencies.pause(.seconds(5))
        }
      }
      let ids = Set(credentials?.map(\.id) ?? [])
      for (id, listener) in listeners where !ids.contains(id) {
        listener.cancel()
        listeners[id] = nil
      }
      for id in ids where listeners[id] == nil {
        listeners[id] = Task { [self] in await listen(id, announced, continuation) }
      }
    }
    for listener in listeners.values { listener.cancel() }
    for listener in listeners.values { await listener.value }
  }

  private func listen(
    _ id: String, _ announced: RecentValues<Void>, _ continuation: AsyncStream<PushNotification>.Continuation
  ) async {
    var failures = 0
    var hasStream = true
    func announce(_ messages: [DeliveredPushMessage]) async {
      for notification in await receive(messages) where announced.note(notification.id, ()) {
        continuation.yield(notification)
      }
    }
    while !Task.isCancelled {
      do {
        guard let credential = try await storage.retrievePushCredential(credentialId: id) else { return }
        let begin = ContinuousClock.now
        if hasStream {
          let retry = try await delivery.stream(credential) { message in
            failures = 0
            await announce([message])
          }
          // Servers end streams now and then. If one does so at once, wait before asking again.
          if ContinuousClock.now - begin < .seconds(5) { failures += 1 }
          await dependencies.pause(Self.pause(afterFailures: failures, atLeast: retry))
        } else {
          await announce(try await delivery.poll(credential, wait: PushFormatLimits.pollSeconds - 5))
          failures = 0
          // Poll a server that does not hold the request every few seconds.
          if ContinuousClock.now - begin < .seconds(1) { await dependencies.pause(.seconds(3)) }
        }
      } catch is PollingClient.NoStream {
        hasStream = false
      } catch {
        if Task.isCancelled { return }
        failures += 1
        let pause = Self.pause(afterFailures: failures, atLeast: nil)
        logger.w(
          "The server of push credential \(id) was not reached; trying again in \(pause)", error: error)
        await dependencies.pause(pause)
        // The server may have been replaced.
        hasStream = true
      }
    }
  }

  /// The pause after failures: 1, 2, 4 … 60 seconds, each up to a quarter longer, so that devices do not all reconnect at once.
  static func pause(afterFailures failures: Int, atLeast milliseconds: Int?) -> Duration {
    let seconds = failures == 0 ? 0 : min(60, 1 << min(failures - 1, 6))
    let base = max(seconds * 1000, min(max(milliseconds ?? 0, 0), 60_000))
    return .milliseconds(base + Int.random(in: 0...max(1, base / 4)))
  }
}
