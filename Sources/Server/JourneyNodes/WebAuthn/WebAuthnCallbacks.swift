internal import CEmbeddedFiles
internal import JourneyEngine
internal import StrictJSON
internal import WebAuthnFormats

/// The callbacks of a WebAuthn step (reference webauthn §1): data or a script, then the hidden value that takes the outcome.
enum WebAuthnCallback {
  /// The id of the hidden value, which is its preset too.
  static let outcomeID = "webAuthnOutcome"

  static func metadata(_ data: JSONObject) -> OutgoingCallback {
    OutgoingCallback(
      type: "MetadataCallback", outputs: [.init("data", .object(data))], inputs: [])
  }

  static var outcome: OutgoingCallback { StandardCallback.hidden(id: outcomeID, value: "false") }

  /// `{"type", "id"}` with the id as signed bytes.
  static func descriptors(_ ids: [[UInt8]]) -> JSONValue {
    .array(
      ids.map { id in
        [
          "type": "public-key", "id": .array(id.map { .integer(Int64(Int8(bitPattern: $0))) }),
        ]
      })
  }

  /// The same as JavaScript, without brackets around the list.
  static func descriptorScript(_ ids: [[UInt8]]) -> String {
    ids.map { #"{ "type": "public-key", "id": \#(bufferScript($0)) }"# }.joined(separator: ",")
  }

  static func bufferScript(_ bytes: [UInt8]) -> String {
    let numbers = bytes.map { String(Int8(bitPattern: $0)) }.joined(separator: ", ")
    return "new Int8Array([\(numbers)]).buffer"
  }

  /// JavaScript for a text; it may stand inside a page's script element.
  static func scriptText(_ text: String) -> String { escaped(JSONValue.string(text)) }

  static func escaped(_ value: JSONValue) -> String {
    value.text.replacing("<", with: "\\u003c").replacing("\u{2028}", with: "\\u2028")
      .replacing("\u{2029}", with: "\\u2029")
  }
}

/// What a registration asks for.
struct WebAuthnCreationOptions: Sendable {
  var challenge: WebAuthnChallenge
  var relyingPartyName: String
  var userID: String
  var userName: String
  var displayName: String

  /// In order of preference.
  var algorithms: [COSEAlgorithm]

  /// `none`, `indirect` or `direct`.
  var attestation: String
  var selection: JSONObject
  var excludedIDs: [[UInt8]]
  var extensions: JSONObject
  var timeoutMilliseconds: Int

  private var parameters: JSONValue {
    .array(algorithms.map { ["type": "public-key", "alg": .integer(Int64($0.rawValue))] })
  }

  /// Old clients look for texts, and newer ones for the members with an underscore.
  var metadata: JSONObject {
    let parameterText = algorithms.map { #"{ "type": "public-key", "alg": \#($0.rawValue) }"# }
      .joined(separator: ", ")
    return [
      "_action": "webauthn_registration",
      "_type": "WebAuthn",
      "challenge": .string(challenge.text),
      "attestationPreference": .string(attestation),
      "userName": .string(userName),
      "displayName": .string(displayName),
      "userId": .string(userID),
      "relyingPartyName": .string(relyingPartyName),
      "relyingPartyId": .string("id: \"\(challenge.relyingPartyID)\","),
      "_relyingPartyId": .string(challenge.relyingPartyID),
      "authenticatorSelection": .string(JSONValue.object(selection).text),
      "_authenticatorSelection": .object(selection),
      "pubKeyCredParams": .string("[ \(parameterText) ]"),
      "_pubKeyCredParams": parameters,
      "timeout": .string(String(timeoutMilliseconds)),
      "excludeCredentials": .string(WebAuthnCallback.descriptorScript(excludedIDs)),
      "_excludeCredentials": WebAuthnCallback.descriptors(excludedIDs),
      "extensions": .object(extensions),
      "supportsJsonResponse": true,
    ]
  }

  var script: String {
    """
    \(WebAuthnScript.featureTest)
    var publicKey = {
      challenge: \(WebAuthnCallback.bufferScript(challenge.bytes)),
      rp: {
        id: \(WebAuthnCallback.scriptText(challenge.relyingPartyID)),
        name: \(WebAuthnCallback.scriptText(relyingPartyName))
      },
      user: {
        id: Uint8Array.from(\(WebAuthnCallback.scriptText(userID)), function (c) { return c.charCodeAt(0) }),
        name: \(WebAuthnCallback.scriptText(userName)),
        displayName: \(WebAuthnCallback.scriptText(displayName))
      },
      pubKeyCredParams: \(WebAuthnCallback.escaped(parameters)),
      attestation: \(WebAuthnCallback.scriptText(attestation)),
      timeout: \(timeoutMilliseconds),
      excludeCredentials: [\(WebAuthnCallback.descriptorScript(excludedIDs))],
      authenticatorSelection: \(WebAuthnCallback.escaped(.object(selection))),
      extensions: \(WebAuthnCallback.escaped(.object(extensions)))
    };
    \(WebAuthnScript.create)
    """
  }
}

/// What an authentication asks for.
struct WebAuthnRequestOptions: Sendable {
  var challenge: WebAuthnChallenge

  /// `required`, `preferred` or `discouraged`.
  var userVerification: String

  /// Empty where the credential says who the user is.
  var allowedIDs: [[UInt8]]
  var extensions: JSONObject
  var timeoutMilliseconds: Int
  var allowsRecoveryCode: Bool

  var metadata: JSONObject {
    let list = WebAuthnCallback.descriptorScript(allowedIDs)
    return [
      "_action": "webauthn_authentication",
      "_type": "WebAuthn",
      "challenge": .string(challenge.text),
      "allowCredentials": .string(allowedIDs.isEmpty ? "" : "allowCredentials: [\(list)]"),
      "_allowCredentials": WebAuthnCallback.descriptors(allowedIDs),
      "timeout": .string(String(timeoutMilliseconds)),
      "userVerification": .string(userVerification),
      "relyingPartyId": .string("rpId: \"\(challenge.relyingPartyID)\","),
      "_relyingPartyId": .string(challenge.relyingPartyID),
      "extensions": .object(extensions),
      "supportsJsonResponse": true,
    ]
  }

  var script: String {
    """
    \(WebAuthnScript.featureTest)
    var allowRecoveryCode = "\(allowsRecoveryCode)";
    var publicKey = {
      rpId: \(WebAuthnCallback.scriptText(challenge.relyingPartyID)),
      challenge: \(WebAuthnCallback.bufferScript(challenge.bytes)),
      timeout: \(timeoutMilliseconds),
      userVerification: \(WebAuthnCallback.scriptText(userVerification)),
      extensions: \(WebAuthnCallback.escaped(.object(extensions))),
      allowCredentials: [\(WebAuthnCallback.descriptorScript(allowedIDs))]
    };
    \(WebAuthnScript.get)
    """
  }
}

/// The parts of the scripts for pages that are always the same: the files in `Scripts`.
enum WebAuthnScript {
  /// Ends the script where the browser has no WebAuthn, and defines the functions by which the rest answers.
  static let featureTest = text(.webauthn_js)

  /// Asks the browser, and answers.
  static let create = text(.webauthn_create_js)
  static let get = text(.webauthn_get_js)

  /// Shows that the page is waiting for the authenticator.
  static let spinner = text(.webauthn_waiting_js)

  /// Without the line feed at the end.
  private static func text(_ file: EmbeddedFile) -> String {
    String(decoding: UnsafeBufferPointer(start: file.start, count: file.count).dropLast(), as: UTF8.self)
  }
}
