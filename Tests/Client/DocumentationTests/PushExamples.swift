// The example of PingPush's page. `DocumentationTests` compares the region with it.
import PingPush

func approveEverything(enrolledWith uri: String) async throws {
  // snippet: approve
  let client = try await PushClient.createClient()
  try await client.addCredentialFromUri(uri)

  for await notification in client.notifications() {
    print(notification.messageText ?? "Sign in?")
    try await client.approveNotification(notification.id)
  }
  // end
}
