internal import Foundation
internal import PingOrchestrate
internal import StrictJSON

/// The devices of one kind, on the server.
///
/// Besides the kinds of this module, `R` may be an app's own kind. Its records are then read and written in its `Codable` form, and a
/// change sends the whole record.
public struct DeviceRepositoryImplementation<R>: DeviceRepository, Sendable where R: Device {
  private let endpoint: String
  private let connection: Connection

  /// The devices at `endpoint`.
  ///
  /// - Parameters:
  ///   - endpoint: The path of this kind of devices below the user's path, such as `devices/2fa/binding`.
  ///   - deviceClient: Determines the server and the session.
  public init(endpoint: String, deviceClient: DeviceClient) {
    self.init(endpoint: endpoint, connection: deviceClient.connection)
  }

  init(endpoint: String, connection: Connection) {
    self.endpoint = endpoint
    self.connection = connection
  }

  public func get() async -> Result<[R], DeviceError> {
    await result { () async throws(DeviceError) in
      let answer = try await connection.send(
        .get, "\(try await path())?_queryFilter=true", version: "resource=1.0", accepting: [200])
      var devices: [R] = []
      for record in try answer.listedRecords() { devices.append(try device(record)) }
      return devices
    }
  }

  public func delete(_ device: R) async -> Result<R, DeviceError> {
    await result { () async throws(DeviceError) in
      let answer = try await connection.send(
        .delete, try await path(of: device), version: "resource=1.0", accepting: [200, 204])
      return try read(answer) ?? device
    }
  }

  public func update(_ device: R) async -> Result<R, DeviceError> {
    await result { () async throws(DeviceError) in
      let answer = try await connection.send(
        .put, try await path(of: device), version: "resource=1.0", body: try change(to: device),
        ifMatch: kind?.changesNeedRevision == true ? "*" : nil, accepting: [200])
      return try read(answer) ?? device
    }
  }

  /// `R` when it is a kind of this module.
  private var kind: (any WireDevice.Type)? { R.self as? any WireDevice.Type }

  private func path() async throws(DeviceError) -> String {
    var path = "users/\(try pathSegment(try await connection.username()))"
    for segment in endpoint.split(separator: "/") { path += "/\(try pathSegment(String(segment)))" }
    return path
  }

  private func path(of device: R) async throws(DeviceError) -> String {
    "\(try await path())/\(try pathSegment(device.id))"
  }

  /// Returns the body of a request that changes the server's record to match `device`.
  private func change(to device: R) throws(DeviceError) -> [UInt8] {
    if let kind {
      let name: JSONObject = [kind.nameMember: .string(device.deviceName)]
      return name.serialized
    }
    do { return Array(try JSONEncoder().encode(device)) } catch {
      throw .encodingFailed(message: error.localizedDescription)
    }
  }

  /// The record in an answer, if it has one: servers may answer a deletion with an empty object or nothing.
  private func read(_ answer: JSONValue) throws(DeviceError) -> R? {
    guard let object = answer.objectValue, !object.isEmpty else { return nil }
    return try device(answer)
  }

  private func device(_ record: JSONValue) throws(DeviceError) -> R {
    do {
      if let kind, let device = try kind.init(record: record) as? R { return device }
      return try JSONDecoder().decode(R.self, from: Data(record.serialized))
    } catch {
      throw .decodingFailed(error: error)
    }
  }

  private func result<Value>(
    _ body: () async throws(DeviceError) -> Value
  ) async -> Result<Value, DeviceError> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
