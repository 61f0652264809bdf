internal import Foundation
internal import Hummingbird
internal import Pages
internal import PageTemplates

/// The pages on which people connect a device.
extension ConsentPages {
  /// Asks for the code that the device shows.
  ///
  /// - Parameters:
  ///   - code: the initial content of the field.
  ///   - fault: the key of the text that says what was wrong with the previous code.
  func deviceCode(_ visit: PageVisit, code: DeviceUserCode?, fault: String?, username: String) throws
    -> Response
  {
    let texts = visit.texts
    return try page(
      .deviceCode, visit, title: texts["device.title"], status: fault == nil ? .ok : .badRequest,
      [
        "code": .text(code?.text ?? ""), "fault": .optional(fault.map { texts[$0] }),
        "person": .text(texts["consent.person", ["name": username]]),
        "hasLanguages": true,
      ])
  }

  /// Shows the client, its scopes, and where and when the device asked, and asks for approval.
  ///
  /// - Parameters:
  ///   - ticket: the sealed ticket that the form sends back.
  ///   - again: the sealed request in the links that show the page in another language.
  func deviceQuestion(
    _ visit: PageVisit, _ request: DeviceRequest, client: OpenIDClient, username: String, ticket: String,
    again: String
  ) throws -> Response {
    let texts = visit.texts
    return try page(
      .deviceQuestion, visit, title: texts["device.title"],
      [
        "wants": .text(texts["device.wants", ["client": client.name]]),
        "scopes": .list(Self.items(request.scopes, texts)), "code": .text(request.code.text),
        "client": .text("\(client.name) (\(client.id))"), "address": .text(request.address),
        "iso": .text(request.createdAt.formatted(.iso8601)), "time": .text(texts.time(request.createdAt)),
        "person": .text(texts["consent.person", ["name": username]]), "ticket": .text(ticket),
        "languages": languages(visit, of: again), "hasLanguages": true,
      ])
  }

  func deviceDecided(_ visit: PageVisit, isAllowed: Bool) throws -> Response {
    let texts = visit.texts
    return try page(
      .consentMessage, visit, title: texts[isAllowed ? "device.allowed" : "device.denied"],
      ["message": .text(texts[isAllowed ? "device.allowedText" : "device.deniedText"])])
  }
}
