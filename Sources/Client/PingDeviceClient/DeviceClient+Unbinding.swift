internal import PingOrchestrate
internal import StrictJSON

extension DeviceClient {
  /// Deletes the record of the binding `kid` of the user `userId`, whosever session this is: the server decides whether it
  /// may.
  ///
  /// A 404 alone does not say that the record is gone: a wrong address, realm or user is answered so, too. So the list of
  /// the user's devices is asked for, and the record counts as gone when the list has it not.
  ///
  /// - Parameter userId: The universal id or the name.
  /// - Returns: Whether there was a record to delete.
  /// - Throws: Why the record may still be there.
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
