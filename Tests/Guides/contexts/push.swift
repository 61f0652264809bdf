import Foundation
import PingLogger
import PingPush

// What the app of the guide has around the code, and the parts of UserNotifications that it names.
enum AppError: Error { case pushError(String) }
class UIApplication {}
class UNUserNotificationCenter {}
class UNNotificationContent { var userInfo: [AnyHashable: Any] = [:] }
class UNNotificationRequest { let content = UNNotificationContent() }
class UNNotification { let request = UNNotificationRequest() }
class UNNotificationResponse { let notification = UNNotification() }
func showDefaultNotification(_ notification: PushNotification) {}
func showChallengeNotification(_ notification: PushNotification) {}
func showBiometricPrompt(_ notification: PushNotification) {}
func displayPendingNotifications(_ notifications: [PushNotification]) {}
func showEmptyState() {}
func showNotificationDetails(_ notification: PushNotification) {}
func showNotFoundMessage() {}
final class CustomPushHandler: PushHandler {
  func canHandle(messageData: [String: Any]) -> Bool { false }
  func canHandle(message: String) -> Bool { false }
  func parseMessage(messageData: [String: Any]) throws -> [String: Any] { messageData }
  func parseMessage(message: String) throws -> [String: Any] { [:] }
  func sendApproval(credential: PushCredential, notification: PushNotification, params: [String: Any])
    async throws -> Bool
  { true }
  func sendDenial(credential: PushCredential, notification: PushNotification, params: [String: Any])
    async throws -> Bool
  { true }
  func setDeviceToken(credential: PushCredential, deviceToken: String, params: [String: Any]) async throws
    -> Bool
  { true }
  func register(credential: PushCredential, params: [String: Any]) async throws -> Bool { true }
}

func around(
  pushClient: PushClient, credentials: [PushCredential], credentialId: String, notificationId: String,
  uri: String, deviceToken: Data,
  userSelectedResponse: String
) async throws {
  // block
}
