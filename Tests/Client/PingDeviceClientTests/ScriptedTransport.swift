import Concurrency
import Foundation
import PingNetwork

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that answers from a script and keeps what it was asked.
final class ScriptedSender: HttpClientProtocol {
  struct Asked: Equatable {
    var method: String
    var url: String
    /// By lower-case names: Foundation changes their case.
    var headers: [String: String]
    var body: String
  }

  typealias Answer = Result<(status: Int, body: String), any Error>

  private let script: @Sendable (Asked) -> Answer
  private let log = Locked<[Asked]>([])

  var asked: [Asked] { log.withLock { $0 } }

  init(_ script: @escaping @Sendable (Asked) -> Answer) { self.script = script }

  /// What the script answers, for a transport that passes on.
  func answer(to asked: Asked) -> Answer { script(asked) }

  func request() -> any HttpRequest { URLSessionHttpRequest() }

  func request(builder: @escaping @Sendable (any HttpRequest) -> Void) async -> Result<
    any HttpResponse, any Error
  > {
    let request = request()
    builder(request)
    return await self.request(request: request)
  }

  func request(request: any HttpRequest) async -> Result<any HttpResponse, any Error> {
    guard let built = (request as? URLSessionHttpRequest)?.buildURLRequest() else {
      return .failure(NetworkError.invalidRequest("not buildable"))
    }
    let asked = Asked(
      method: request.getMethod().rawValue, url: built.url?.absoluteString ?? "",
      headers: Dictionary(
        request.getHeaders().map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
      body: built.httpBody.map { String(decoding: $0, as: UTF8.self) } ?? "")
    log.withLock { $0.append(asked) }
    return script(asked).map { answer in
      URLSessionHttpResponse(
        request: request, status: answer.status, headers: [:], body: Data(answer.body.utf8),
        httpURLResponse: nil)
    }
  }

  func close() {}
}
