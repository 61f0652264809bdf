import Foundation
@testable import JourneyEngine
import StrictJSON

extension FuzzTarget {
  /// Only what was sealed here opens; and a position is the same after writing and reading it again.
  static let authID = FuzzTarget(
    seeds: { sealed.map { Array($0.utf8) } + positions.map { $0.serialized } },
    check: { bytes in
      let text = String(decoding: bytes, as: UTF8.self)
      if (try? sealing.open(text)) != nil {
        expect(sealed.contains(text), "an authId opens that was not sealed")
      }
      guard let position = JourneyPosition(parsing: bytes) else { return }
      expect(JourneyPosition(parsing: position.serialized) == position, "a position changes")
    })

  private static let sealing = PositionSealing(keys: { [SealingKey(serverSecret: FixedKeys.secret)] })

  private static let sealed = Set(
    positions.enumerated().compactMap { number, position in
      try? sealing.seal(
        position, random: [UInt8](repeating: UInt8(number), count: PositionSealing.randomCount))
    })

  private static let positions = [
    JourneyPosition(
      journey: "Login", realm: "alpha", node: "n1", notes: ["tries": 1],
      state: JourneyState(
        shared: ["username": "ada"], transient: ["password": "x"], secure: ["bound": [1, "2", .null]]),
      options: JourneyOptions(noSession: true, requiredLevel: 10, isUpgrade: true),
      asked: [
        AskedCallback(type: "NameCallback", suffixes: [""]),
        AskedCallback(type: "DeviceSigningVerifierCallback", suffixes: ["jws", "clientError"]),
      ],
      session: PresentedSession(
        tokenHash: [1, 2, 255], username: "ada", authLevel: 5, service: "Login",
        authenticatedAt: Date(timeIntervalSince1970: 1_800_000_000)), startedAt: 1_800_000_000_000,
      expiresAt: 1_800_000_300_000),
    JourneyPosition(
      journey: "", realm: "root", node: "", notes: [:], state: JourneyState(), options: JourneyOptions(),
      asked: [],
      session: nil, startedAt: 0, expiresAt: 0),
  ]
}
