internal import Bytes
internal import JOSE

/// Options as the dictionaries of PingFido's interface: the JSON form of WebAuthn L3 §5.1.8, except for the user id, which is AM's
/// unchanged text.
extension RegistrationOptions {
  init(dictionary: [String: Any]) throws(OptionsError) {
    let members = OptionsReader(object: dictionary)
    let challenge = try members.bytes("challenge", atMost: OptionsReader.maximumChallengeBytes)
    let (party, user) = (try members.members("rp"), try members.members("user"))
    let selection =
      members.has("authenticatorSelection")
      ? try members.members("authenticatorSelection") : OptionsReader(object: [:])
    self.init(
      challenge: challenge, relyingPartyID: try party.textIfThere("id") ?? "",
      relyingPartyName: try party.text("name"),
      userID: try Self.userID(user), userName: try user.text("name"),
      displayName: try user.textIfThere(user.has("displayName") ? "displayName" : "name") ?? "",
      algorithms: try members.algorithms("pubKeyCredParams"),
      excludeCredentials: members.has("excludeCredentials")
        ? try members.descriptorIDs("excludeCredentials") : [],
      userVerification: try selection.choice("userVerification", default: .preferred),
      requireResidentKey: try selection.requiresResidentKey(),
      authenticatorAttachment: try selection.attachment(),
      attestation: try members.choice("attestation", default: .none),
      timeout: members.integer("timeout") ?? FidoConstants.DEFAULT_TIMEOUT)
  }

  private static func userID(_ user: OptionsReader) throws(OptionsError) -> String {
    if let numbers = user.object["id"] as? [Any] {
      guard let bytes = OptionsReader.bytes(numbers), let text = String(validating: bytes, as: UTF8.self)
      else {
        throw OptionsError("user.id is not UTF-8 text")
      }
      return text
    }
    return try user.text("id")
  }

  var dictionary: [String: Any] {
    var selection: [String: Any] = [
      "userVerification": userVerification.rawValue, "requireResidentKey": requireResidentKey,
      "residentKey": requireResidentKey ? "required" : "discouraged",
    ]
    selection["authenticatorAttachment"] = authenticatorAttachment?.rawValue
    return [
      "challenge": Base64URL.encode(challenge), "rp": ["id": relyingPartyID, "name": relyingPartyName],
      "user": ["id": userID, "name": userName, "displayName": displayName],
      "pubKeyCredParams": algorithms.map { ["type": "public-key", "alg": $0] as [String: Any] },
      "excludeCredentials": excludeCredentials.map { ["type": "public-key", "id": Base64URL.encode($0)] },
      "authenticatorSelection": selection, "attestation": attestation.rawValue, "timeout": timeout,
    ]
  }
}

extension AuthenticationOptions {
  init(dictionary: [String: Any]) throws(OptionsError) {
    let members = OptionsReader(object: dictionary)
    self.init(
      challenge: try members.bytes("challenge", atMost: OptionsReader.maximumChallengeBytes),
      relyingPartyID: try members.textIfThere("rpId") ?? "",
      allowCredentials: members.has("allowCredentials") ? try members.descriptorIDs("allowCredentials") : [],
      userVerification: try members.choice("userVerification", default: .preferred),
      timeout: members.integer("timeout") ?? FidoConstants.DEFAULT_TIMEOUT)
  }

  var dictionary: [String: Any] {
    [
      "challenge": Base64URL.encode(challenge), "rpId": relyingPartyID,
      "allowCredentials": allowCredentials.map { ["type": "public-key", "id": Base64URL.encode($0)] },
      "userVerification": userVerification.rawValue, "timeout": timeout,
    ]
  }
}

/// Incomplete options for apps that inspect them: the same members, each as the server sent it.
extension OptionsReader {
  var creationDictionary: [String: Any] {
    var options = challengeAndTimeout
    options["rp"] = present(["id": "_relyingPartyId", "name": "relyingPartyName"])
    options["user"] = present(["id": "userId", "name": "userName", "displayName": "displayName"])
    for (name, source) in [
      "pubKeyCredParams": "_pubKeyCredParams", "excludeCredentials": "_excludeCredentials",
      "authenticatorSelection": "_authenticatorSelection", "attestation": "attestationPreference",
    ] where has(source) { options[name] = object[source] }
    return options
  }

  var requestDictionary: [String: Any] {
    var options = challengeAndTimeout
    for (name, source) in [
      "rpId": "_relyingPartyId", "allowCredentials": "_allowCredentials",
      "userVerification": "userVerification",
    ] where has(source) { options[name] = object[source] }
    return options
  }

  private var challengeAndTimeout: [String: Any] {
    var options: [String: Any] = ["timeout": integer("timeout") ?? FidoConstants.DEFAULT_TIMEOUT]
    if let challenge = try? bytes("challenge", atMost: Self.maximumChallengeBytes) {
      options["challenge"] = Base64URL.encode(challenge)
    }
    return options
  }

  /// The existing members under other names; `nil` when there are none.
  private func present(_ names: [String: String]) -> [String: Any]? {
    let found = names.compactMapValues { has($0) ? object[$0] : nil }
    return found.isEmpty ? nil : found
  }
}
