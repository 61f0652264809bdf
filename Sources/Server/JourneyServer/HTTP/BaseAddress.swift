internal import Foundation
internal import Hummingbird

/// The address under which clients reach the server, as it goes into enrolment codes.
struct BaseAddress: Sendable {
  private let configured: String?

  /// - Throws: ``ServerSetupError`` when `configured` is no HTTP address.
  init(_ configured: String?) throws {
    guard var text = configured else {
      self.configured = nil
      return
    }
    while text.hasSuffix("/") { text.removeLast() }
    guard let url = URLComponents(string: text), ["http", "https"].contains(url.scheme?.lowercased()),
      url.host?.isEmpty == false, url.query == nil, url.fragment == nil, url.user == nil
    else {
      throw ServerSetupError(
        "The public URL \(text.debugDescription) is no address such as https://id.example.com/am.")
    }
    self.configured = text
  }

  /// The configured address, else the host that the request names; empty when it names none. Who sends a false name gets
  /// it back in an answer of its own and nobody else does.
  func address(for request: Request) -> String {
    if let configured { return configured }
    guard let host = request.head.authority, (1...255).contains(host.utf8.count),
      host.utf8.allSatisfy(Self.isAllowed)
    else { return "" }
    return "http://\(host)/am"
  }

  private static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: Array("-._:[]".utf8).contains(byte)
    }
  }
}
