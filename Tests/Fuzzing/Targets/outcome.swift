import WebAuthnFormats

/// Whatever the text is: it is refused, or what was read is the same after writing and reading it again, in both forms.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  check(text, RegistrationResponse.self)
  check(text, AssertionResponse.self)
  return 0
}

private func check<Response: OutcomeResponse>(_ text: String, _: Response.Type) {
  guard let outcome = try? ClientOutcome<Response>(parsing: text) else { return }
  guard case .completed(let response, _) = outcome else { return }
  // Client data and handles may come with bytes that are not text; those that are survive unchanged.
  precondition((try? Response(parsing: response.text))?.text == response.text)
  let json = try? ClientOutcome<Response>(parsing: outcome.text(asJSON: true))
  precondition(json == nil || json?.text(asJSON: true) == outcome.text(asJSON: true))
}
