/// Lists, renames and deletes the devices that the server keeps for the signed-in user.
///
/// A kind of devices that the server does not know is ``DeviceError/requestFailed(statusCode:message:)`` with status 404.
public final class DeviceClient: Sendable {
  /// The devices that were bound with a key.
  public let bound: any DeviceRepository<BoundDevice>

  /// The devices that approve by push notification.
  public let push: any DeviceRepository<PushDevice>

  /// The authenticator apps that show one-time codes.
  public let oath: any DeviceRepository<OathDevice>

  /// The authenticators that were registered with WebAuthn.
  public let webAuthn: any DeviceRepository<WebAuthnDevice>

  /// The devices whose profile is kept.
  public let profile: any DeviceRepository<ProfileDevice>

  let connection: Connection

  /// The server and realm that it talks to, as its configuration names them.
  package var address: (server: String, realm: String) {
    (connection.config.serverUrl, connection.config.realm)
  }

  /// A client for the user whose session `config` names. Nothing is sent before the first call of a repository.
  public init(config: DeviceClientConfig) {
    connection = Connection(config: config)
    bound = RemoteDeviceRepository<BoundDevice>(connection: connection)
    push = RemoteDeviceRepository<PushDevice>(connection: connection)
    oath = RemoteDeviceRepository<OathDevice>(connection: connection)
    webAuthn = RemoteDeviceRepository<WebAuthnDevice>(connection: connection)
    profile = RemoteDeviceRepository<ProfileDevice>(connection: connection)
  }
}
