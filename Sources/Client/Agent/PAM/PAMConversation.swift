#if os(Linux)
  internal import Bytes
  package import DeviceKeys
  package import Foundation
  internal import JOSE

  /// Answers the PAM module: asks the person, and signs its challenge.
  ///
  /// A PIN is asked for where the person signs in: the module passes it on. A yes is never taken from there, because a program that runs
  /// `sudo` can say yes; it is asked for by `consent`.
  package struct PAMConversation: Sendable {
    /// How old a challenge may be, in seconds. It was made on this machine, by this clock.
    static let maximumAge: TimeInterval = 60
    /// How many times a PIN is asked for.
    static let tries = 3
    /// How long a PIN is waited for, in seconds: longer than the module does.
    private static let pinTime: TimeInterval = 100

    private let keys: PAMKeys
    private let user: String
    private let uid: UInt32
    private let consent: @Sendable (PAMRequest, PAMKey) async -> AgentAnswer
    private let clock: @Sendable () -> Date

    /// - Parameters:
    ///   - user: The account that the keys belong to.
    ///   - uid: Its number: root's programs and its own are answered.
    ///   - consent: Asks the person for a yes.
    package init(
      keys: PAMKeys, user: String, uid: UInt32, clock: @escaping @Sendable () -> Date = { Date() },
      consent: @escaping @Sendable (PAMRequest, PAMKey) async -> AgentAnswer
    ) {
      (self.keys, self.user, self.uid) = (keys, user, uid)
      (self.consent, self.clock) = (consent, clock)
    }

    private struct Refusal: Error {
      /// What the module is told.
      let word: String
      /// What is noted.
      let reason: String

      init(_ reason: String, _ word: String = "refused") { (self.word, self.reason) = (word, reason) }
    }

    /// Answers one challenge; returns what is to be noted.
    package func answer(_ channel: PAMChannel) async -> String {
      guard [0, uid].contains(channel.caller.user) else {
        return "Refused a connection of another user (\(channel.caller.user))."
      }
      guard let bytes = channel.challenge() else { return "\(channel.caller.text) sent no challenge." }
      let request: PAMRequest
      do { request = try PAMRequest(parsing: bytes) } catch {
        channel.send("refused")
        return "Refused \(channel.caller.text): \(error.localizedDescription)"
      }
      // Of another user's program the kernel tells no file; root's says it.
      let program = channel.caller.executable == nil ? request.program : channel.caller.text
      let what = "\(request.service) for \(request.user) by \(program): \(request.command)"
      do {
        let signature = try await signature(for: request, channel)
        channel.send("signature \(signature.hexadecimal)")
        return "Signed. \(what)"
      } catch let refusal as Refusal {
        channel.send(refusal.word)
        return "Refused, \(refusal.reason). \(what)"
      } catch DeviceKeyError.lockedOut {
        channel.send("locked")
        return "Refused, too many wrong PINs. \(what)"
      } catch {
        channel.send("unavailable")
        return "Failed: \(error.localizedDescription) \(what)"
      }
    }

    private func signature(for request: PAMRequest, _ channel: PAMChannel) async throws -> [UInt8] {
      guard abs(clock().timeIntervalSince(request.time)) <= Self.maximumAge else {
        throw Refusal("the challenge is old")
      }
      guard request.user == user else { throw Refusal("it is for another account") }
      let fitting = try await keys.all()
        .filter { request.keys.contains($0.point) && ($0.hasPIN || !request.needsPIN) }
      // The one that asks for less, where that is enough.
      guard let key = fitting.first(where: { !$0.hasPIN }) ?? fitting.first else {
        throw Refusal("no enrolled key is on this device", "unavailable")
      }
      let unlocked =
        key.hasPIN ? try await unlock(key, channel) : try await unlockByConsent(key, request, channel)
      return try await unlocked.signature(for: request.bytes)
    }

    private func unlock(_ key: PAMKey, _ channel: PAMChannel) async throws -> any DeviceKey {
      let tag = key.stored.tag
      for attempt in 1...Self.tries {
        let tries = try await keys.store.pinTries(tag: tag)
        // A PIN entered now would be ignored.
        if let tries, tries.wait > 0 || tries.left == 0 {
          throw DeviceKeyError.lockedOut(tag: tag, retryAfter: tries.wait)
        }
        channel.send(attempt == 1 ? "pin" : "wrong" + (tries.map { " \($0.left)" } ?? ""))
        guard let line = channel.line(within: Self.pinTime), line.starts(with: Array("pin ".utf8)),
          let bytes = PercentEncoding.bytes(String(decoding: line.dropFirst(4), as: UTF8.self)),
          !bytes.isEmpty
        else { throw Refusal("no PIN was entered") }
        let pin = PIN(String(decoding: bytes, as: UTF8.self))
        do { return try await keys.store.openKey(tag: tag, unlock: .pin(pin)) } catch DeviceKeyError.wrongPIN
        {}
      }
      throw Refusal("the PIN was wrong \(Self.tries) times")
    }

    private func unlockByConsent(
      _ key: PAMKey, _ request: PAMRequest, _ channel: PAMChannel
    ) async throws -> any DeviceKey {
      channel.send("asking")
      switch await consent(request, key) {
      case .yes, .pin: return try await keys.store.openKey(tag: key.stored.tag, unlock: .nothing)
      case .no: throw Refusal("nobody agreed")
      case .nobody(let reason): throw Refusal("nobody can be asked: \(reason)", "unavailable")
      }
    }
  }
#endif
