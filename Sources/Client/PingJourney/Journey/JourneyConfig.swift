internal import Bytes
internal import Foundation
internal import PingJourneyPlugin
public import PingOrchestrate
package import WebAddresses

/// The server and realm that a journey talks to.
// Its stored properties are guarded.
public class JourneyConfig: WorkflowConfig, @unchecked Sendable {
  /// The deployment's base URL, such as `https://am.example.com/am`.
  @Guarded public var serverUrl: String?

  /// The realm: `root`, `alpha`, `alpha/branch` for a realm in another, or as written in URLs: `root/realms/alpha`.
  @Guarded public var realm: String = JourneyConstants.realm

  /// The name of the session cookie; the session token is sent in a header of this name.
  @Guarded public var cookie: String = JourneyConstants.cookie

  /// A JSON request for `resource` of the realm. When the URL cannot be made, sending the request fails and says why.
  func request(for resource: String) -> Request {
    guard let serverUrl else {
      return Request(failing: .missingURL(reason: "JourneyConfig.serverUrl is not set"))
    }
    let base = serverUrl.reversed().drop { $0 == "/" }.reversed()
    let text = "\(String(base))/json/realms/\(realmPath)/\(resource)"
    guard let scheme = URL(string: text)?.scheme?.lowercased(), ["https", "http"].contains(scheme),
      !text.contains("?"), !text.contains("#"),
      // Programs on the way resolve the segments `.` and `..`, which would name another realm's resource, or none.
      !realm.split(separator: "/").contains(where: { $0 == "." || $0 == ".." })
    else { return Request(failing: .invalidURL(serverUrl)) }
    let request = Request()
    request.url(text)
    return request
  }

  /// The origin of ``serverUrl``; `nil` when that is not set, or is not an address.
  package var serverOrigin: WebOrigin? { serverUrl.flatMap { WebOrigin(address: $0) } }

  /// The realm as servers name it: `/` for the root, `/alpha` for every spelling of ``realm``.
  package var realmName: String {
    var names = realm.split(separator: "/").map(String.init)
    if names.first == "root" { names.removeFirst() }
    names.removeAll { $0 == "realms" }
    return "/" + names.joined(separator: "/")
  }

  /// The realm in URLs. A single name, and a ``realm`` that is written as in URLs, stay as they are, as in the published SDK.
  private var realmPath: String {
    var segments = realm.split(separator: "/").map { segment in
      PercentEncoding.encode(String(segment))
    }
    if segments.count > 1, !segments.contains("realms") {
      if segments[0] == JourneyConstants.realm { segments.removeFirst() }
      segments = [JourneyConstants.realm] + segments.flatMap { ["realms", $0] }
    }
    return segments.isEmpty ? JourneyConstants.realm : segments.joined(separator: "/")
  }
}

extension JourneyConfig: ServerAddressed {}
