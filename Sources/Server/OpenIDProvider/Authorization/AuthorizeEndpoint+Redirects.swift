internal import BindingFormats
internal import Bytes
internal import HTTPTypes
internal import Hummingbird
internal import ServerHTTP

/// The ways back to a client.
extension AuthorizeEndpoint {
  func redirect(
    _ interaction: Interaction, error: OAuthError, _ context: ResourceContext
  ) -> Response {
    redirect(to: interaction.request.redirectURI, state: interaction.request.state, error: error, context)
  }

  func redirect(
    to uri: String, state: String?, error: OAuthError, _ context: ResourceContext
  ) -> Response {
    redirect(
      to: uri,
      [
        ("error", error.code.rawValue), ("error_description", error.text), ("state", state),
        ("iss", provider.issuer(context)),
      ])
  }

  func redirect(to uri: String, _ parameters: [(String, String?)]) -> Response {
    Self.redirect(to: uri + (uri.contains("?") ? "&" : "?") + PercentEncoding.form(parameters))
  }

  static func redirect(to address: String) -> Response {
    var headers: HTTPFields = [.location: address, .cacheControl: "no-store"]
    if let name = HTTPField.Name("Referrer-Policy") { headers[name] = "no-referrer" }
    // Never with the method of the request: a form would be sent on to the client.
    return Response(status: .seeOther, headers: headers)
  }
}
