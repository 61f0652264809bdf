import PingPush

/// How messages arrive where no phone vendor brings them.
///
/// On a phone this file is not needed: the system hands each message to the app, which calls `processNotification(userInfo:)`. A terminal fetches them from
/// Sealring's server instead. It is the one thing here that the published API does not have.
enum Delivery {
  static func notifications(of pushClient: PushClient) -> AsyncStream<PushNotification> {
    pushClient.notifications()
  }
}
