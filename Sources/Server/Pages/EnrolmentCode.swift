internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import QRCodes
internal import ServerHTTP
internal import StrictJSON

/// `POST /am/XUI/qr` with `{"authId": …, "uri": …}`: an enrolment address as an SVG picture. It is a secret, so it comes in the body and
/// is not stored.
///
/// Drawing costs more than most requests of a stranger. So it is limited to journeys that are running, and to a few drawings for each of
/// their steps.
struct EnrolmentCode: Endpoint {
  /// Whether a text is the `authId` of a waiting step that has not been drawn for too often.
  let admits: @Sendable (_ authID: String) -> Bool

  var routes: [Route] { [Route("/am/XUI/qr", [.post: drawing], admission: .address)] }

  /// Longest address that is drawn, in bytes. QR codes hold 2,953 at most (ISO/IEC 18004), which no camera reads from a screen; the longest
  /// enrolment address of this server has some 700.
  private static let longestAddress = 1500

  private func drawing(_ request: Request, in context: ResourceContext) async throws -> Response {
    let body = try JSONValue(parsing: try await RequestBodyReader.bytes(of: request))
    guard let uri = body["uri"]?.stringValue, uri.utf8.count <= Self.longestAddress,
      ["pushauth://", "mfauth://", "otpauth://"].contains(where: uri.hasPrefix)
    else {
      throw ErrorResponse.badRequest(
        "The member uri must be an enrolment address of at most \(Self.longestAddress) bytes.")
    }
    guard let authID = body["authId"]?.stringValue, admits(authID) else {
      throw ErrorResponse.badRequest(
        "The member authId must be that of a journey's step that waits for its answer, and has few pictures yet."
      )
    }
    let code: QRCode
    // Screens do not get damaged, so the fewest squares are the easiest to read.
    do { code = try QRCode(uri) } catch {
      throw ErrorResponse.badRequest("The address does not fit a QR code.")
    }
    return .file("image/svg+xml", Array(code.svg().utf8))
  }
}
