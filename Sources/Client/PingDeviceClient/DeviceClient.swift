internal import Concurrency

/// Lists, renames and deletes the devices that the server keeps for the signed-in user.
///
/// A kind of devices that the server does not know is ``DeviceError/requestFailed(statusCode:message:)`` with status 404. An app may
/// put a repository of its own, for instance a test's, in the place of each of these.
// The stored properties are immutable, and the slots guard what they hold; subclasses answer for what they add.
open class DeviceClient: @unchecked Sendable {
  let connection: Connection

  private let boundSlot = Slot<BoundDevice>()
  private let pushSlot = Slot<PushDevice>()
  private let oathSlot = Slot<OathDevice>()
  private let webAuthnSlot = Slot<WebAuthnDevice>()
  private let profileSlot = Slot<ProfileDevice>()

  /// The server and realm that it talks to, as its configuration names them.
  package var address: (server: String, realm: String) {
    (connection.config.serverUrl, connection.config.realm)
  }

  /// A client for the user whose session `config` names. Nothing is sent before the first call of a repository.
  public init(config: DeviceClientConfig) { connection = Connection(config: config) }

  /// The devices that were bound with a key.
  open var bound: any DeviceRepository<BoundDevice> {
    get { boundSlot.repository(connection) }
    set { boundSlot.replace(newValue) }
  }

  /// The devices that approve by push notification.
  open var push: any DeviceRepository<PushDevice> {
    get { pushSlot.repository(connection) }
    set { pushSlot.replace(newValue) }
  }

  /// The authenticator apps that show one-time codes.
  open var oath: any DeviceRepository<OathDevice> {
    get { oathSlot.repository(connection) }
    set { oathSlot.replace(newValue) }
  }

  /// The authenticators that were registered with WebAuthn.
  open var webAuthn: any DeviceRepository<WebAuthnDevice> {
    get { webAuthnSlot.repository(connection) }
    set { webAuthnSlot.replace(newValue) }
  }

  /// The devices whose profile is kept.
  open var profile: any DeviceRepository<ProfileDevice> {
    get { profileSlot.repository(connection) }
    set { profileSlot.replace(newValue) }
  }
}

/// Holds the repository that an app has put in the place of ours.
private final class Slot<R: WireDevice>: Sendable {
  // By the contract of `DeviceRepository` an implementation is safe to use from any thread.
  private struct Box: @unchecked Sendable { var repository: (any DeviceRepository<R>)? }

  private let box = Locked(Box(repository: nil))

  func repository(_ connection: Connection) -> any DeviceRepository<R> {
    box.withLock { $0 }.repository
      ?? DeviceRepositoryImplementation<R>(endpoint: R.path, connection: connection)
  }

  func replace(_ repository: any DeviceRepository<R>) {
    let new = Box(repository: repository)
    box.withLock { $0 = new }
  }
}
