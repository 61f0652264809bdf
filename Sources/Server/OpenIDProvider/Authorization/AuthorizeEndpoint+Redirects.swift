internal import BindingFormats
internal import Bytes
internal import HTTPTypes
internal import Hummingbird
internal import JourneyFiles
internal import ServerHTTP

/// Redirects back to a client.
extension AuthorizeEndpoint {
  func redirect(_ interaction: Interaction, error: OAuthError) -> Response {
    let request = interaction.request
    return redirect(to: request.redirectURI, state: request.state, error: error, interaction.context)
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
    OpenIDProvider.redirect(to: uri + (uri.contains("?") ? "&" : "?") + PercentEncoding.form(parameters))
  }
}

extension OpenIDProvider {
  /// Sends the browser to the sign-in page, which then continues at `back`, a path below the issuer.
  func signIn(journey: String?, isForced: Bool, back: String, _ context: ResourceContext) -> Response {
    let query = PercentEncoding.form([
      ("realm", context.realm.realmPath), ("service", journey), ("ForceAuth", isForced ? "true" : nil),
      ("goto", issuer(context) + back),
    ])
    return Self.redirect(to: base(context) + "/XUI/?" + query)
  }

  static func redirect(to address: String) -> Response {
    var headers: HTTPFields = [.location: address, .cacheControl: "no-store"]
    headers["Referrer-Policy"] = "no-referrer"
    // 303 never repeats the method of the request, so the browser does not send a form on to the client.
    return Response(status: .seeOther, headers: headers)
  }
}
