import Testing
import WebAuthnVerification

/// Expects that `body` fails at `check`, with `text` in the detail.
func expectFailure(
  _ check: WebAuthnFailure.Check, _ text: String = "", sourceLocation: SourceLocation = #_sourceLocation,
  _ body: () async throws -> Void
) async {
  do {
    try await body()
    Issue.record("passed instead of failing at \(check)", sourceLocation: sourceLocation)
  } catch let failure as WebAuthnFailure {
    #expect(failure.check == check, "\(failure)", sourceLocation: sourceLocation)
    #expect(text.isEmpty || failure.detail.contains(text), "\(failure)", sourceLocation: sourceLocation)
  } catch {
    Issue.record(error, sourceLocation: sourceLocation)
  }
}
