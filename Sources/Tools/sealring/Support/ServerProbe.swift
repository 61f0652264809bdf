import Foundation
import PingNetwork
import Operations
import StrictJSON

/// What a server tells about itself without a session.
struct ServerProbe {
  /// As the server gives it; `nil` when it does not.
  let version: String?
  /// The server's clock less this device's, in seconds, as exactly as HTTP tells: `nil` without a `Date` header.
  let clockDifference: TimeInterval?

  /// Differences up to this are explained by HTTP's whole seconds and the answer's travel time.
  static let exactness: TimeInterval = HealthCheck.clockExactness

  /// From here on signatures are refused: nodes accept a skew of a minute.
  static let harmfulDifference: TimeInterval = 60

  /// - Throws: `CommandFailure` when the server cannot be reached, or is none.
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
    // PingAM tells its version to administrators only.
    guard response.status.isSuccess() && body != nil || [401, 403].contains(response.status) else {
      throw CommandFailure.unsupported(
        "\(printable(server.baseAddress)) answers (\(response.status)), but not as a journey server.\(MissingPath.hint(for: server.server))"
      )
    }
    return ServerProbe(
      version: body?["version"]?.stringValue, clockDifference: date.map { $0.timeIntervalSince(middle) })
  }

  /// For people.
  var clockText: String {
    guard let clockDifference else { return "the server does not tell its time" }
    guard abs(clockDifference) > Self.exactness else { return "the same as here" }
    return
      "\(TerminalText.duration(abs(clockDifference))) \(clockDifference > 0 ? "ahead of" : "behind") this device"
  }
}
