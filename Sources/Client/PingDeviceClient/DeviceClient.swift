internal import Concurrency
internal import PingOrchestrate
internal import StrictJSON

/// Lists, renames and deletes the devices that the server stores for the signed-in user.
///
/// Requests for a kind of devices that the server does not know fail with ``DeviceError/requestFailed(statusCode:message:)`` and status
/// 404. An app may replace each repository with its own, for instance in tests.
// The stored properties are immutable, and the slots guard their values; subclasses are responsible for what they add.
open class DeviceClient: @unchecked Sendable {
  let connection: Connection

  private let boundSlot = Slot<BoundDevice>()
  private let pushSlot = Slot<PushDevice>()
  private let oathSlot = Slot<OathDevice>()
  private let webAuthnSlot = Slot<WebAuthnDevice>()
  private let profileSlot = Slot<ProfileDevice>()

  /// The server and the realm in the configuration.
  package var address: (server: String, realm: String) {
    (connection.config.serverUrl, connection.config.realm)
  }

  /// A client for the user whose session `config` names. No request is sent before the first call of a repository.
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

  /// The devices with a stored profile.
  open var profile: any DeviceRepository<ProfileDevice> {
    get { profileSlot.repository(connection) }
    set { profileSlot.replace(newValue) }
  }
}

extension DeviceClient {
  /// Deletes the record of the binding `kid` of the user `userId`. The server decides whether this session may do so.
  ///
  /// A 404 alone does not prove that the record is gone: a wrong address, realm or user has the same answer. Therefore the
  /// user's devices are listed, and the record is gone when the list does not contain it.
  ///
  /// - Parameter userId: The user's universal id or name.
  /// - Returns: Whether there was a record to delete.
  /// - Throws: The reason why the record may still be there.
  package func deleteBinding(kid: String, userId: String) async throws(DeviceError) -> Bool {
    let devices = "users/\(try pathSegment(userId))/\(BoundDevice.path)"
    do {
      _ = try await connection.send(
        .delete, "\(devices)/\(try pathSegment(kid))", version: "resource=1.0", accepting: [200, 204])
      return true
    } catch {
      guard case .requestFailed(404, _) = error else { throw error }
      let answer = try await connection.send(
        .get, "\(devices)?_queryFilter=true", version: "resource=1.0", accepting: [200])
      let records = try answer.listedRecords()
      guard !records.contains(where: { [$0["_id"]?.stringValue, $0["uuid"]?.stringValue].contains(kid) })
      else { throw error }
      return false
    }
  }
}

/// Holds the repository with which an app has replaced ours.
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
