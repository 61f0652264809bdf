#if canImport(FoundationNetworking)
  internal import Concurrency
  internal import Foundation
  internal import FoundationNetworking
  internal import RuntimeLibraries

  /// One request through libcurl, and its answer as it arrives.
  final class CurlExchange: Sendable {
    /// A part of an answer.
    enum Part {
      case head(HTTPURLResponse)
      case piece(Data)
    }

    /// Receives each part on the exchange's thread. An error ends the exchange.
    typealias Taker = @Sendable (Part) throws -> Void

    /// How long the exchange may take, in seconds.
    enum Limit {
      case whole(TimeInterval)
      /// The longest time without a byte from the server.
      case idle(TimeInterval)
    }

    private let request: URLRequest
    private let url: URL
    private let headers: [String]
    private let authorities: CertificateAuthorities
    private let limit: Limit
    private let isCancelled = Locked(false)

    private static let httpAndHTTPS = 1 << 0 | 1 << 1

    /// - Throws: ``NetworkError/invalidRequest(_:)``
    init(_ request: URLRequest, _ authorities: CertificateAuthorities, limit: Limit) throws {
      guard let url = request.url else { throw NetworkError.invalidRequest("it has no address") }
      (self.request, self.url, self.authorities, self.limit) = (request, url, authorities, limit)
      var fields = request.allHTTPHeaderFields ?? [:]
      if !fields.keys.contains(where: { $0.lowercased() == "user-agent" }) {
        fields["User-Agent"] = ProgramName.userAgent
      }
      headers = try fields.map { name, value in
        try requireHeader(name, value)
        // libcurl's notation for a header without a value.
        return value.isEmpty ? "\(name);" : "\(name): \(value)"
      }
    }

    func cancel() { isCancelled.withLock { $0 = true } }

    /// Waits until the answer is complete.
    func perform(on transfer: CurlTransfer, _ take: @escaping Taker) throws {
      let state = State(url: url, isCancelled: isCancelled, take)
      transfer.set(.protocols, Self.httpAndHTTPS)
      transfer.set(.url, text: url.absoluteString)
      // These authorities replace the machine's: neither its file nor its folder is read.
      transfer.set(.authorities, address: nil)
      transfer.set(.authoritiesFolder, address: nil)
      transfer.set(.authoritiesContent, copying: authorities.pem)
      transfer.set(.suppressConnectHeaders, 1)
      transfer.set(.acceptEncoding, text: "")
      // Suppresses "Expect: 100-continue", for which some servers let every client wait.
      transfer.set(.headers, lines: headers + ["Expect:"])
      switch limit {
      case .whole(let time): transfer.set(.timeout, Self.milliseconds(time))
      case .idle(let time):
        transfer.set(.connectTimeout, Self.milliseconds(time))
        transfer.set(.lowSpeedLimit, 1)
        transfer.set(.lowSpeedTime, Self.milliseconds(time) / 1000 + 1)
      }
      let body = request.httpBody.map { Array($0) } ?? []
      let method = request.httpMethod ?? HttpMethod.get.rawValue
      let pointer = Unmanaged.passUnretained(state).toOpaque()
      transfer.set(.headerFunction, address: unsafeBitCast(State.header, to: UnsafeRawPointer.self))
      transfer.set(.headerData, address: pointer)
      transfer.set(.writeFunction, address: unsafeBitCast(State.write, to: UnsafeRawPointer.self))
      transfer.set(.writeData, address: pointer)
      transfer.set(.progressFunction, address: unsafeBitCast(State.progress, to: UnsafeRawPointer.self))
      transfer.set(.progressData, address: pointer)
      transfer.set(.noProgress, 0)
      let failure = body.withUnsafeBytes { bytes in
        if method == "HEAD" {
          transfer.set(.noBody, 1)
        } else if method == "GET", bytes.isEmpty {
          transfer.set(.httpGet, 1)
        } else {
          if !bytes.isEmpty || method == "POST" {
            transfer.set(.post, 1)
            transfer.set(.postFieldsSize, size: bytes.count)
            transfer.set(.postFields, address: bytes.baseAddress)
          }
          transfer.set(.customRequest, text: method)
        }
        do throws(CurlFailure) {
          try transfer.perform()
          return nil as CurlFailure?
        } catch { return error }
      }
      let problem = withExtendedLifetime(state) { state.problem }
      if let problem { throw problem }
      if let failure { throw isCancelled.withLock { $0 } ? NetworkError.cancelled : error(failure) }
    }

    private static func milliseconds(_ time: TimeInterval) -> Int {
      Int((time.isFinite ? min(max(time, 0.001), 1e9) : 1e9) * 1000)
    }

    /// Translates libcurl's error codes, from curl/curl.h, to those of URLSession.
    private func error(_ failure: CurlFailure) -> any Error {
      func made(_ code: URLError.Code, _ problem: ConnectionProblem) -> URLError {
        URLError(code, problem, url: url)
      }
      switch failure.code {
      case 3: return made(.badURL, .badAddress)
      case 5, 6: return made(.cannotFindHost, .unknownName)
      case 7: return made(.cannotConnectToHost, .nobodyAnswers)
      case 28: return NetworkError.timeout
      case 35:
        return made(
          .secureConnectionFailed,
          URLError.problem(in: failure.text, authorities: authorities.name) ?? .noTLS)
      case 51, 60:
        return made(
          .serverCertificateUntrusted,
          URLError.problem(in: failure.text, authorities: authorities.name) ?? .badCertificate)
      case 77:
        return NetworkError.invalidRequest(
          "a certificate in \(authorities.name) cannot be used as an authority's")
      case 52, 55, 56, 92: return made(.networkConnectionLost, .cutOff)
      case 1, 8, 16, 61: return made(.badServerResponse, .notHTTP)
      default: return made(.unknown, .other(Int(failure.code)))
      }
    }
  }

  /// The state of the functions that libcurl calls, all on the thread that performs the transfer.
  private final class State {
    private let url: URL
    private let isCancelled: Locked<Bool>
    private let take: CurlExchange.Taker
    private var lines: [String] = []
    private var size = 0
    /// The error with which this side ended the exchange.
    private(set) var problem: (any Error)?

    init(url: URL, isCancelled: Locked<Bool>, _ take: @escaping CurlExchange.Taker) {
      (self.url, self.isCancelled, self.take) = (url, isCancelled, take)
    }

    typealias Receiver =
      @convention(c) (UnsafeMutablePointer<CChar>?, Int, Int, UnsafeMutableRawPointer?) -> Int

    static let header: Receiver = { bytes, size, count, state in
      State.receive(bytes, size * count, state) { try $0.header($1) }
    }

    static let write: Receiver = { bytes, size, count, state in
      State.receive(bytes, size * count, state) { try $0.take(.piece($1)) }
    }

    static let progress: @convention(c) (UnsafeMutableRawPointer?, Int64, Int64, Int64, Int64) -> Int32 = {
      state, _, _, _, _ in
      guard let state else { return 1 }
      return Unmanaged<State>.fromOpaque(state).takeUnretainedValue().isCancelled.withLock { $0 } ? 1 : 0
    }

    /// Passes the bytes to `body`. Returning another number than `count` ends the transfer.
    private static func receive(
      _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ state: UnsafeMutableRawPointer?,
      _ body: (State, Data) throws -> Void
    ) -> Int {
      guard let bytes, let state else { return 0 }
      let known = Unmanaged<State>.fromOpaque(state).takeUnretainedValue()
      do {
        try body(known, Data(bytes: bytes, count: count))
        return count
      } catch {
        known.problem = error
        return count == 0 ? 1 : 0
      }
    }

    private func header(_ data: Data) throws {
      size += data.count
      let line = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      if line.hasPrefix("HTTP/") { (lines, size) = ([], data.count) }
      guard size <= 1 << 20 else { throw NetworkError.invalidResponse("its head has more than 1 MiB") }
      guard line.isEmpty else { return lines.append(line) }
      // Trailers end with an empty line, too.
      guard let first = lines.first, first.hasPrefix("HTTP/") else { return }
      let words = first.split(separator: " ", maxSplits: 2)
      guard words.count > 1, let status = Int(words[1]) else {
        throw NetworkError.invalidResponse("it is not HTTP")
      }
      // 100 Continue, 103 Early Hints: another head follows.
      guard status >= 200 else { return }
      var fields: [String: String] = [:]
      for line in lines.dropFirst() {
        guard let colon = line.firstIndex(of: ":") else { continue }
        let name = String(line[..<colon])
        let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        let known = fields.keys.first { $0.lowercased() == name.lowercased() } ?? name
        fields[known] = fields[known].map { "\($0), \(value)" } ?? value
      }
      lines = []
      guard
        let response = HTTPURLResponse(
          url: url, statusCode: status, httpVersion: String(words[0]), headerFields: fields)
      else { throw NetworkError.invalidResponse("it is not HTTP") }
      try take(.head(response))
    }
  }
#endif
