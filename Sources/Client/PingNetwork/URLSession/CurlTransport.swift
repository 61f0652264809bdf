#if canImport(FoundationNetworking)
  internal import Concurrency
  internal import Foundation
  internal import FoundationNetworking
  internal import RuntimeLibraries

  /// Sends requests through libcurl with authorities of the caller's choice.
  ///
  /// FoundationNetworking also uses libcurl, but has no way to set authorities: it keeps the file that libcurl was built with, and asks no
  /// delegate about a server's certificate.
  final class CurlTransport: Sendable {
    typealias Answer = (body: Data, response: HTTPURLResponse)

    private struct State {
      var isClosed = false
      var exchanges: [ObjectIdentifier: CurlExchange] = [:]
      /// Handles that keep their connections for the next request.
      var idle: [CurlTransfer] = []
    }

    private static let maximumIdle = 16

    private let authorities: CertificateAuthorities
    private let state = Locked(State())

    init(authorities: CertificateAuthorities) { self.authorities = authorities }

    /// Sends `request` and waits for the whole answer.
    ///
    /// - Throws: ``AnswerTooLarge``, ``NetworkError``, `URLError`.
    func send(_ request: URLRequest, maximumBodySize: Int, deadline: TimeInterval) async throws -> Answer {
      let body = Locked(Data())
      let head = Locked<HTTPURLResponse?>(nil)
      let exchange = try CurlExchange(request, authorities, limit: .whole(deadline))
      try await run(exchange) { part in
        switch part {
        case .head(let response): head.withLock { $0 = response }
        case .piece(let piece):
          let size = body.withLock { body in
            body.append(piece)
            return body.count
          }
          guard size <= maximumBodySize else { throw AnswerTooLarge(size: size, limit: maximumBodySize) }
        }
      }
      guard let response = head.withLock({ $0 }) else {
        throw NetworkError.invalidResponse("it is not HTTP")
      }
      return (body.withLock { $0 }, response)
    }

    /// Sends `request` and returns when the head of the answer has arrived.
    func open(_ request: URLRequest, idleTimeout: TimeInterval, pieceLimit: Int) async throws -> HttpStream {
      let exchange = try CurlExchange(request, authorities, limit: .idle(idleTimeout))
      let (body, pieces) = AsyncThrowingStream.makeStream(
        of: Data.self, bufferingPolicy: .bufferingOldest(pieceLimit))
      let (heads, head) = AsyncThrowingStream.makeStream(of: HttpStream.self)
      pieces.onTermination = { _ in exchange.cancel() }
      let running = Task {
        do {
          try await run(exchange) { part in
            switch part {
            case .head(let response):
              let headers = response.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
              head.yield(
                HttpStream(
                  status: response.statusCode, headers: Dictionary(headers) { $1 }, body: body))
              head.finish()
            case .piece(let piece):
              if case .dropped = pieces.yield(piece) {
                throw NetworkError.invalidResponse("it comes faster than it is read")
              }
            }
          }
          head.finish(throwing: NetworkError.invalidResponse("it is not HTTP"))
          pieces.finish()
        } catch {
          head.finish(throwing: error)
          pieces.finish(throwing: error)
        }
      }
      return try await withTaskCancellationHandler {
        for try await stream in heads { return stream }
        throw NetworkError.cancelled
      } onCancel: {
        running.cancel()
      }
    }

    /// Ends running requests and refuses new ones.
    func close() {
      let open = state.withLock { state in
        (state.isClosed, state.idle) = (true, [])
        return Array(state.exchanges.values)
      }
      for exchange in open { exchange.cancel() }
    }

    /// Refuses new requests; running ones finish.
    func drain() { state.withLock { ($0.isClosed, $0.idle) = (true, []) } }

    private func run(_ exchange: CurlExchange, _ take: @escaping CurlExchange.Taker) async throws {
      let transfer = try begin(exchange)
      try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
          // The exchange has its own thread: libcurl blocks until the answer is complete, and tasks share few threads.
          Thread.detachNewThread { [self] in
            let result = Result { try exchange.perform(on: transfer, take) }
            end(exchange, transfer)
            done.resume(with: result)
          }
        }
      } onCancel: {
        exchange.cancel()
      }
    }

    private func begin(_ exchange: CurlExchange) throws -> CurlTransfer {
      let isOpen = state.withLock { state in
        if !state.isClosed { state.exchanges[ObjectIdentifier(exchange)] = exchange }
        return !state.isClosed
      }
      guard isOpen else { throw NetworkError.invalidRequest("the client was closed") }
      if let idle = state.withLock({ $0.idle.popLast() }) { return idle }
      do throws(RuntimeLibraryError) { return try CurlTransfer() } catch {
        state.withLock { $0.exchanges[ObjectIdentifier(exchange)] = nil }
        throw NetworkError.invalidRequest(
          "a client's own authorities need libcurl, which cannot be opened; install libcurl4")
      }
    }

    private func end(_ exchange: CurlExchange, _ transfer: CurlTransfer) {
      transfer.reset()
      state.withLock { state in
        state.exchanges[ObjectIdentifier(exchange)] = nil
        if !state.isClosed, state.idle.count < Self.maximumIdle { state.idle.append(transfer) }
      }
    }
  }
#endif
