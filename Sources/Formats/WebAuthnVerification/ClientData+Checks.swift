internal import Bytes
internal import Crypto
internal import WebAuthnFormats

extension ClientData {
  /// Reads client data and checks what both ceremonies require of it (WebAuthn L3 §7.1 steps 5 to 11, §7.2 steps 8 to 14).
  init(
    _ json: [UInt8], of ceremony: Ceremony, challenge: [UInt8], for party: RelyingParty
  ) throws(WebAuthnFailure) {
    do throws(ClientDataError) { try self.init(parsing: json) } catch {
      throw WebAuthnFailure(.malformedResponse, error.description)
    }
    guard type.utf8.elementsEqual(ceremony.rawValue.utf8) else {
      throw WebAuthnFailure(.wrongCeremonyType, "the client data's type is not \(ceremony.rawValue)")
    }
    guard let answered = challengeBytes, ConstantTime.areEqual(answered, challenge) else {
      throw WebAuthnFailure(.challengeMismatch, "the client data answers another challenge")
    }
    guard party.origins.allows(origin) else {
      throw WebAuthnFailure(
        .originNotAllowed,
        "the origin \(origin.shortened) is not among the allowed ones; add it if the client is yours")
    }
    guard !crossOrigin || party.origins.allowsCrossOrigin else {
      throw WebAuthnFailure(
        .crossOriginNotAllowed, "the client ran in a frame of another origin than its page's")
    }
    if let topOrigin, !party.origins.allowsTop(topOrigin) {
      throw WebAuthnFailure(.crossOriginNotAllowed, "the page's origin \(topOrigin.shortened) is not allowed")
    }
  }
}

extension AuthenticatorData {
  /// Checks what both ceremonies require of authenticator data (§7.1 steps 13 to 15, §7.2 steps 15 to 17).
  ///
  /// - Parameter appID: replaces the relying party's id for keys of U2F (§10.1.1); `nil` for all others.
  func check(
    for party: RelyingParty, appID: String? = nil, requiresPresence: Bool,
    _ verification: UserVerificationRequirement
  ) throws(WebAuthnFailure) {
    let idHash = appID.map { Array(SHA256.hash(data: Array($0.utf8))) } ?? party.idHash
    guard relyingPartyIDHash == idHash else {
      throw WebAuthnFailure(
        .rpIdMismatch, "the credential is not for the relying party \(appID?.shortened ?? party.id)")
    }
    guard flags.contains(.userPresent) || !requiresPresence else {
      throw WebAuthnFailure(.userNotPresent, "the authenticator did not test the user's presence")
    }
    guard flags.contains(.userVerified) || verification != .required else {
      throw WebAuthnFailure(.userNotVerified, "the authenticator did not verify the user")
    }
  }
}

extension String {
  /// Text from outside, shortened for messages.
  var shortened: String { utf8.count <= 128 ? self : String(prefix(64)) + "…" }
}
