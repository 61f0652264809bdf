/// Lists, renames and deletes the devices that the server keeps for the signed-in user.
public final class DeviceClient: Sendable {
  /// The devices that were bound with a key.
  public let bound: any DeviceRepository<BoundDevice>

  /// A client for the user whose session `config` names. Nothing is sent before the first call of a repository.
  public init(config: DeviceClientConfig) {
    let connection = Connection(config: config)
    bound = RemoteDeviceRepository<BoundDevice>(connection: connection, urlSuffix: "devices/2fa/binding")
  }
}
