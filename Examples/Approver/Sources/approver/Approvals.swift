import Foundation
import PingLogger
import PingPush

/// The device that is asked whether a sign-in elsewhere shall go on.
struct Approvals {
  private let pushClient: PushClient

  init() async throws {
    pushClient = try await PushClient.createClient { config in
      config.logger = LogManager.none
      config.notificationCleanupConfig = NotificationCleanupConfig(
        cleanupMode: .hybrid, maxStoredNotifications: 50, maxNotificationAgeDays: 14)
    }
  }

  /// Registers with the server that made the address.
  func add(_ address: String) async throws -> String {
    name(try await pushClient.addCredentialFromUri(address))
  }

  /// One line per credential.
  func credentials() async throws -> [String] {
    try await pushClient.getCredentials().map {
      "\($0.id)  push   \(name($0))\($0.isLocked ? "  (locked)" : "")"
    }
  }

  /// Whether there was one.
  func delete(_ id: String) async throws -> Bool { try await pushClient.deleteCredential(credentialId: id) }

  /// Asks about everything that waits, then about what comes.
  func listen(once: Bool) async throws {
    var asked: Set<String> = []
    for notification in try await pushClient.getPendingNotifications() {
      asked.insert(notification.id)
      await answer(notification)
      if once { return await pushClient.close() }
    }
    Console.say("Waiting for sign-ins. Ctrl-C ends it.")
    for await notification in Delivery.notifications(of: pushClient)
    where asked.insert(notification.id).inserted {
      await answer(notification)
      if once { break }
    }
    await pushClient.close()
  }

  private func answer(_ notification: PushNotification) async {
    do {
      let isDone = try await ask(notification)
      Console.say(isDone ? "Sent." : "It was answered already, or is over.")
    } catch let error as PushError {
      switch error {
      case .credentialLocked(let reason): Console.say("This device may not approve now: \(reason)")
      default: Console.say(error.localizedDescription)
      }
    } catch {
      Console.say(error.localizedDescription)
    }
  }

  /// Whether the server has taken the answer.
  private func ask(_ notification: PushNotification) async throws -> Bool {
    let account = try await pushClient.getCredential(credentialId: notification.credentialId).map(name)
    Console.say("\n\(account ?? "Unknown account"): \(notification.messageText ?? "Sign in?")")
    switch notification.pushType {
    case .default:
      guard Console.ask("Approve? y/N")?.lowercased() == "y" else { break }
      return try await pushClient.approveNotification(notification.id)
    case .challenge:
      let numbers = notification.getNumbersChallenge()
      let question =
        numbers.isEmpty ? "The code that the sign-in shows" : "Which does the sign-in show, \(list(numbers))"
      guard let response = Console.ask("\(question)? Empty denies") else { break }
      return try await pushClient.approveChallengeNotification(notification.id, challengeResponse: response)
    case .biometric:
      // An app has a finger or a face recognised here. A terminal that skipped it would say something that is not true.
      Console.say("It has to be approved with a fingerprint or a face, which this example cannot check.")
    }
    Console.say("Denying ...")
    return try await pushClient.denyNotification(notification.id)
  }

  private func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

  private func name(_ credential: PushCredential) -> String {
    "\(credential.displayIssuer): \(credential.displayAccountName)"
  }
}
