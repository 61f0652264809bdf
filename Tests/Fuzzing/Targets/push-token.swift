import PushFormats
import StrictJSON

extension FuzzTarget {
  /// Messages and what devices answer: only what the shared secret signed, and each for its own purpose only. The payload of an
  /// unverified message is read as well, as the device does before it knows whose secret to take.
  static let pushToken = FuzzTarget(
    seeds: { pushTokens.map { Array($0.utf8) } + pushClaims.map { $0.serialized } },
    text: { text in
      checkSigned(text)
      // Any claims, as though a server had signed them.
      guard let claims = try? JSONObject(parsing: text.utf8) else { return }
      let token = FixedKeys.token(["alg": "HS256", "typ": "JWT"], claims)
      guard let secret, let message = try? UnverifiedPushMessage(token).verified(with: secret) else { return }
      let again = try? UnverifiedPushMessage(FixedKeys.token(["alg": "HS256"], message.claims)).verified(
        with: secret)
      guard message.claims.serialized.count <= 8 << 10 else { return }
      expect(again == message, "a message changes")
      expect(message.timeToLive >= 0, "a message ends before it begins")
    })

  private static func checkSigned(_ token: String) {
    guard let secret else { return }
    let isKnown = pushTokens.contains(token)
    if let message = try? UnverifiedPushMessage(token) {
      _ = try? message.unverifiedContent()
      if (try? message.verified(with: secret)) != nil {
        expect(isKnown, "a message verifies that nobody signed")
      }
    }
    _ = try? PushFetch.unverifiedMechanismUID(of: token)
    let uses = [
      (try? PushAnswer(verifying: token, secret: secret)) != nil,
      (try? PushRegistration(verifying: token, secret: secret)) != nil,
      (try? PushRefresh(verifying: token, secret: secret)) != nil,
      (try? PushFetch(verifying: token, secret: secret)) != nil,
    ]
    expect(isKnown || !uses.contains(true), "a token verifies that nobody signed")
    expect(uses.filter(\.self).count <= 1, "a token is good for two purposes")
  }

  private static let secret = try? PushSecret(FixedKeys.secret)
  private static let pushTokens = pushClaims.map { FixedKeys.token(["alg": "HS256", "typ": "JWT"], $0) }
  private static let pushClaims: [JSONObject] = [
    [
      "u": "uid-1", "c": "AAECAwQFBgcICQoLDA0ODw==", "l": "YW1sYmNvb2tpZT0wMQ==", "m": "Sign in?",
      "k": "challenge",
      "i": "1800000000000", "t": "120", "d": "ada", "p": "{}", "x": "{\"location\":{}}", "n": "11,22,33",
      "codeLength": "6", "other": [1],
    ],
    ["response": "AAECAw==", "challengeResponse": "22"],
    ["response": "AAECAw==", "deny": true, "reason": "not me"],
    [
      "response": "AAECAw==", "mechanismUid": "uid-1", "deviceId": "d", "deviceType": "linux",
      "communicationType": "poll",
    ],
    [
      "mechanismUid": "uid-1", "deviceId": "d", "deviceName": "n", "deviceType": "linux",
      "communicationType": "poll", "iat": 1_800_000_000,
    ],
    ["mechanismUid": "uid-1", "iat": 1_800_000_000],
  ]
}
