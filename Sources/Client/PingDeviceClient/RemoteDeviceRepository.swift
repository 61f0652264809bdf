internal import PingNetwork
internal import StrictJSON

/// The devices of one kind, on the server.
struct RemoteDeviceRepository<T: WireDevice>: DeviceRepository {
  let connection: Connection

  func get() async -> Result<[T], DeviceError> {
    await result { () async throws(DeviceError) in
      let user = try await connection.username()
      let answer = try await connection.send(
        .get, "users/\(try pathSegment(user))/\(T.path)?_queryFilter=true", version: "resource=1.0",
        accepting: [200])
      guard let records = answer["result"]?.arrayValue else {
        throw .invalidResponse(message: "It has no list \"result\".")
      }
      var devices: [T] = []
      for record in records { devices.append(try device(record)) }
      return devices
    }
  }

  func delete(_ device: T) async -> Result<T, DeviceError> {
    await result { () async throws(DeviceError) in
      let answer = try await connection.send(
        .delete, try await path(of: device), version: "resource=1.0", accepting: [200, 204])
      return try read(answer) ?? device
    }
  }

  func update(_ device: T) async -> Result<T, DeviceError> {
    await result { () async throws(DeviceError) in
      let change: JSONObject = [T.nameMember: .string(device.deviceName)]
      let answer = try await connection.send(
        .put, try await path(of: device), version: "resource=1.0", body: change,
        ifMatch: T.changesNeedRevision ? "*" : nil, accepting: [200])
      return try read(answer) ?? device
    }
  }

  private func path(of device: T) async throws(DeviceError) -> String {
    let user = try await connection.username()
    return "users/\(try pathSegment(user))/\(T.path)/\(try pathSegment(device.id))"
  }

  /// The record in an answer, if it has one: servers may answer a deletion with an empty object or nothing.
  private func read(_ answer: JSONValue) throws(DeviceError) -> T? {
    guard let object = answer.objectValue, !object.isEmpty else { return nil }
    return try device(answer)
  }

  private func device(_ record: JSONValue) throws(DeviceError) -> T {
    do { return try T(record: record) } catch { throw .decodingFailed(error: error) }
  }

  private func result<Value>(
    _ body: () async throws(DeviceError) -> Value
  ) async -> Result<Value, DeviceError> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }
}
