internal import Hummingbird
internal import NIOCore
internal import ServerHTTP

/// A filled-in form that this server made for the session.
package struct PageForm: Sendable {
  let token: FormToken
  private let fields: QueryParameters

  /// - Returns: `nil` when the form's token is not the session's.
  /// - Throws: 415 for other content than a form, 400 for a form with a broken encoding.
  init?(_ request: Request, session: SessionToken) async throws {
    let type = (request.headers[.contentType] ?? "").prefix { $0 != ";" }.filter { $0 != " " }.lowercased()
    guard type == "application/x-www-form-urlencoded" else {
      throw ErrorResponse(.unsupportedMediaType, "Send the form as application/x-www-form-urlencoded.")
    }
    // The responder has bounded the body already.
    let buffer = try await request.body.collect(upTo: .max)
    guard let text = String(validating: Array(buffer: buffer), as: UTF8.self) else {
      throw ErrorResponse.badRequest("The form is not UTF-8.")
    }
    fields = try QueryParameters(text)
    guard let token = FormToken(presented: fields["token"], session: session) else { return nil }
    self.token = token
  }

  /// A field; `nil` when the form does not have it.
  subscript(name: String) -> String? { fields[name] }
}
