import WebAuthnFormats

extension FuzzTarget {
  /// What was read is the same after writing and reading it again, in both forms.
  static let outcome = FuzzTarget(text: { text in
    checkOutcome(text, RegistrationResponse.self)
    checkOutcome(text, AssertionResponse.self)
  })

  private static func checkOutcome<Response: OutcomeResponse>(_ text: String, _: Response.Type) {
    guard let outcome = try? ClientOutcome<Response>(parsing: text) else { return }
    guard case .completed(let response, _) = outcome else { return }
    // Client data and handles may come with bytes that are not text; those that are survive unchanged.
    expect((try? Response(parsing: response.text))?.text == response.text, "a plain answer changes")
    let json = try? ClientOutcome<Response>(parsing: outcome.text(asJSON: true))
    expect(json == nil || json?.text(asJSON: true) == outcome.text(asJSON: true), "an answer changes in JSON")
  }
}
