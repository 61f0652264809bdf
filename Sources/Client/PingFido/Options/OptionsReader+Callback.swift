internal import Foundation
internal import PingJourneyPlugin

/// Reads the data of AM's metadata callback. Members hold pieces of JavaScript; since 7.1 members with an underscore hold the values.
extension OptionsReader {
  /// Whether the callback comes from AM 7.1 or later.
  var isCurrent: Bool { has("_action") }

  func registrationOptions() throws(OptionsError) -> RegistrationOptions {
    let selection = try members(
      has("_authenticatorSelection") ? "_authenticatorSelection" : "authenticatorSelection")
    return RegistrationOptions(
      challenge: try bytes("challenge", atMost: Self.maximumChallengeBytes),
      relyingPartyID: try relyingPartyID(label: "id: "), relyingPartyName: try text("relyingPartyName"),
      userID: try text("userId"), userName: try text("userName"), displayName: try text("displayName"),
      algorithms: try algorithms(has("_pubKeyCredParams") ? "_pubKeyCredParams" : "pubKeyCredParams"),
      excludeCredentials: try scriptedIDs("excludeCredentials", isRequired: false),
      userVerification: try selection.choice("userVerification", default: .preferred),
      requireResidentKey: try selection.requiresResidentKey(),
      authenticatorAttachment: try selection.attachment(),
      attestation: try choice("attestationPreference", default: .none),
      timeout: integer("timeout") ?? FidoConstants.DEFAULT_TIMEOUT)
  }

  func authenticationOptions() throws(OptionsError) -> AuthenticationOptions {
    AuthenticationOptions(
      challenge: try bytes("challenge", atMost: Self.maximumChallengeBytes),
      relyingPartyID: try relyingPartyID(label: "rpId: "),
      allowCredentials: try scriptedIDs(
        !has("_allowCredentials") && !has("allowCredentials") ? "acceptableCredentials" : "allowCredentials",
        isRequired: true),
      userVerification: try choice("userVerification", default: .preferred),
      timeout: integer("timeout") ?? FidoConstants.DEFAULT_TIMEOUT)
  }

  /// Whether a discoverable credential is required. The older `requireResidentKey` decides when it is present; otherwise every value of
  /// `residentKey` but `discouraged` requires one.
  func requiresResidentKey() throws(OptionsError) -> Bool {
    if let required = object["requireResidentKey"].flatMap({ OutputValue.flag($0) }) { return required }
    return try textIfThere("residentKey").map { $0 != "discouraged" } ?? false
  }

  /// The kind of authenticator; `nil` when both kinds are acceptable.
  func attachment() throws(OptionsError) -> AuthenticatorAttachment? {
    guard let text = try textIfThere("authenticatorAttachment"), text != "unspecified" else { return nil }
    return try choice("authenticatorAttachment", default: AuthenticatorAttachment.platform)
  }

  /// The value of `_relyingPartyId`, else the text between the quotation marks of `id: "…",`.
  private func relyingPartyID(label: String) throws(OptionsError) -> String {
    if let id = try textIfThere("_relyingPartyId") { return id }
    let script = try text("relyingPartyId")
    if script.isEmpty { return "" }
    let parts = script.split(separator: "\"", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == label else {
      throw OptionsError("relyingPartyId has an unknown format")
    }
    return String(parts[1])
  }

  /// The ids of the descriptors in `_<name>`, else those of each `Int8Array([…])` in `<name>`.
  private func scriptedIDs(_ name: String, isRequired: Bool) throws(OptionsError) -> [[UInt8]] {
    if has("_" + name) { return try descriptorIDs("_" + name) }
    guard isRequired || has(name) else { return [] }
    let script = try text(name)
    guard script.utf8.count <= Self.maximumTextBytes else { throw OptionsError("\(name) is too long") }
    var ids: [[UInt8]] = []
    for piece in script.components(separatedBy: "Int8Array([").dropFirst() {
      guard let end = piece.firstIndex(of: "]"), ids.count < Self.maximumDescriptors,
        let id = Self.bytes(
          piece[..<end].split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }),
        (1...Self.maximumIDBytes).contains(id.count)
      else { throw OptionsError("\(name) has an invalid credential id") }
      ids.append(id)
    }
    return ids
  }
}
