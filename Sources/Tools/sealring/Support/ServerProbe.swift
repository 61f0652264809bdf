import Foundation
import PingNetwork
import Operations
import StrictJSON

/// The facts that a server reveals without a session.
struct ServerProbe {
  /// The server's version; `nil` when it does not reveal it.
  let version: String?
  /// The server's clock minus this device's, in seconds, as precise as HTTP allows; `nil` without a `Date` header.
  let clockDifference: TimeInterval?

  /// Differences up to this are due to HTTP's whole seconds and the answer's travel time.
  static let exactness: TimeInterval = HealthCheck.clockExactness

  /// From this difference on signatures are refused: nodes accept a skew of a minute.
  static let harmfulDifference: TimeInterval = 60

  /// - Throws: `CommandFailure` when the server cannot be reached, or is not a journey server.
  static func ask(_ server: ServerOptions) async throws -> ServerProbe {
    let sent = Date()
    let url = "\(server.baseAddress)/json/serverinfo/version"
    let answer = await server.quietClient().request { request in
      request.url = url
      request.get()
    }
    let response: any PingNetwork.HttpResponse
    do { response = try answer.get() } catch {
      throw CommandFailure.unreachable(at: server.baseAddress, error)
    }
    let middle = sent.addingTimeInterval(Date().timeIntervalSince(sent) / 2)
    let date = response.getHeader(name: "Date").flatMap { CookieDate.parse($0) }
    let body = try? JSONValue(parsing: response.body ?? Data())
    // PingAM reveals its version to administrators only.
    guard response.status.isSuccess() && body != nil || [401, 403].contains(response.status) else {
      throw CommandFailure.unsupported(
        "\(printable(server.baseAddress)) answers (\(response.status)), but not as a journey server.\(MissingPath.hint(for: server.server))"
      )
    }
    return ServerProbe(
      version: body?["version"]?.stringValue, clockDifference: date.map { $0.timeIntervalSince(middle) })
  }

  /// The clock difference in words.
  var clockText: String {
    guard let clockDifference else { return "the server does not tell its time" }
    guard abs(clockDifference) > Self.exactness else { return "the same as here" }
    return
      "\(TerminalText.duration(abs(clockDifference))) \(clockDifference > 0 ? "ahead of" : "behind") this device"
  }
}
