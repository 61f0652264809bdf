internal import Bytes
internal import Concurrency
public import Foundation
internal import PingLogger

extension PushClient {
  /// Stores the push service's token and sends it to the servers.
  ///
  /// A server that could not be reached gets it at the next call, even with the same token.
  /// - Parameters:
  ///   - deviceToken: For APNs the token's bytes in hexadecimal.
  ///   - credentialId: The credential whose server is notified; all when `nil`.
  /// - Returns: Whether all servers have the token; `true` when there is nothing to send.
  /// - Throws: ``PushError/invalidParameterValue(_:)`` for a blank token, ``PushError/storageFailure(_:_:)``; with
  ///   `credentialId` also the reason why the server was not reached.
  @discardableResult
  public func setDeviceToken(_ deviceToken: String, credentialId: String? = nil) async throws -> Bool {
    try await gate.run {
      let token = try PushDeviceToken.usable(deviceToken)
      return try await registering.withLock { try await tell(token, credentialId: credentialId) }
    }
  }

  /// Stores APNs' token and sends it to the servers in the background. A failure is logged; the next call tries again.
  public func setDeviceToken(_ deviceToken: Data, credentialId: String? = nil) {
    Task {
      do {
        if try await !setDeviceToken(data: deviceToken, credentialId: credentialId) {
          logger.w("Not every server could be told the new device token; the next call tries again")
        }
      } catch {
        logger.e("The device token was not set", error: error)
      }
    }
  }

  /// Stores APNs' token and sends it to the servers; see ``setDeviceToken(_:credentialId:)-(String,_)``.
  @discardableResult
  public func setDeviceToken(data: Data, credentialId: String? = nil) async throws -> Bool {
    try await setDeviceToken(data.hexadecimal, credentialId: credentialId)
  }

  /// The token that was set last.
  public func getDeviceToken() async throws -> String? {
    try await gate.run { try await storedDeviceToken() }
  }

  private func tell(_ token: String, credentialId: String?) async throws -> Bool {
    let before = try await storedDeviceToken()
    if before.map({ Self.isSame($0, token) }) != true { try await store(deviceToken: token) }
    if let credentialId {
      guard let credential = try await credential(credentialId) else { return false }
      return try await tell(token, credential, before: before)
    }
    var isComplete = true
    for credential in try await allCredentials() {
      do {
        if try await !tell(token, credential, before: before) { isComplete = false }
      } catch {
        logger.w("The server of push credential \(credential.id) was not told the device token", error: error)
        isComplete = false
      }
    }
    return isComplete
  }

  private func tell(
    _ token: String, _ credential: PushCredential, before: String?
  ) async throws -> Bool {
    // For a credential stored before this module recorded confirmations, the server has the previous token.
    let confirmed = credential.confirmedDeviceToken ?? before ?? ""
    guard !Self.isSame(confirmed, token) else { return true }
    let handler = try handler(for: credential.platform)
    if credential.confirmedDeviceToken == nil {
      try await update(credential.id) { $0.confirmedDeviceToken = confirmed }
    }
    guard
      try await handler.setDeviceToken(
        credential: credential, deviceToken: token,
        params: [ParameterKey.deviceName: await device.shownName()])
    else { return false }
    try await update(credential.id) { $0.confirmedDeviceToken = token }
    return true
  }

  /// Whether the tokens are the same. APNs' tokens are hexadecimal, and apps write them in either case; other tokens must be equal.
  private static func isSame(_ left: String, _ right: String) -> Bool {
    guard left != right else { return true }
    guard left.utf8.count == right.utf8.count, left.utf8.count >= 32,
      (left + right).allSatisfy({ $0.isASCII && $0.isHexDigit })
    else { return false }
    return left.lowercased() == right.lowercased()
  }
  func storedDeviceToken() async throws -> String? {
    try await storing("the device token was not read") {
      try await storage.getCurrentPushDeviceToken()?.token
    }
  }

  func store(deviceToken token: String) async throws {
    try await storing("the device token was not stored") {
      try await storage.storePushDeviceToken(PushDeviceToken(token: token, createdAt: dependencies.now()))
    }
  }
}
