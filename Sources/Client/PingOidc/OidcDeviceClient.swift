internal import Concurrency
internal import Foundation
internal import OpenIDFormats
internal import PingLogger
internal import PingOrchestrate

/// Gets tokens for a device on which nobody can sign in: it shows a code, and a person approves on a phone or computer (RFC 8628).
///
/// ```swift
/// for await state in OidcDeviceClient(config: config).deviceAuthorization() {
///   switch state {
///   case .started(let answer): show(answer.userCode, answer.verificationUri)
///   case .success(let user): use(await user.token())
///   …
/// ```
///
/// ID tokens are verified as ``OidcClient`` does, except for the nonce, which this grant does not have.
public final class OidcDeviceClient: Sendable {
  /// The value of `grant_type`.
  public static let grantType = "urn:ietf:params:oauth:grant-type:device_code"

  private let config: OidcClientConfig

  /// Waits for the given number of seconds.
  private let pause: @Sendable (Int64) async throws -> Void

  /// The seconds added to the interval when the provider answers that it was polled too soon (§3.5).
  private static let slowDown: Int64 = 5
  /// The longest interval that slowing down and temporary errors lead to, in seconds.
  private static let longestInterval: Int64 = 300

  /// A client with the id, the scopes and the provider of `config`. It needs no `redirectUri`.
  public convenience init(config: OidcClientConfig) {
    self.init(config: config) { try await Task.sleep(for: .seconds($0)) }
  }

  package init(config: OidcClientConfig, pause: @escaping @Sendable (Int64) async throws -> Void) {
    self.config = config
    self.pause = pause
  }

  /// Requests a code, and then polls for the tokens until somebody has decided. The stream ends after the first state that is neither
  /// ``DeviceFlowState/started(_:)`` nor ``DeviceFlowState/polling(interval:)``; cancelling its reader stops the polling.
  public func deviceAuthorization() -> AsyncStream<DeviceFlowState> {
    AsyncStream { continuation in
      let task = Task {
        do {
          continuation.yield(try await run { continuation.yield($0) })
        } catch { continuation.yield(.failure(OidcError.wrapping(error))) }
        continuation.finish()
      }
      continuation.onTermination = { _ in task.cancel() }
    }
  }

  /// Runs the grant and returns its last state.
  private func run(_ report: (DeviceFlowState) -> Void) async throws -> DeviceFlowState {
    let started = try await start()
    // The person's time is measured by this device's clock, and slow answers do not extend it.
    let end = config.now().addingTimeInterval(TimeInterval(started.expiresIn))
    report(.started(started))
    var interval = started.interval
    while true {
      report(.polling(interval: interval))
      try await pause(interval)
      guard config.now() < end else { return .expired }
      switch try await ask(started.deviceCode) {
      case .pending: break
      case .slowDown: interval = min(interval + Self.slowDown, max(interval, Self.longestInterval))
      case .trouble: interval = min(2 * interval, max(interval, Self.longestInterval))
      case .ended(let state): return state
      }
    }
  }

  private func start() async throws -> DeviceAuthorizationResponse {
    guard let endpoint = try await config.provider().deviceAuthorizationEndpoint, !endpoint.isEmpty else {
      throw OidcError.unknown(message: "The provider has no device authorization endpoint.")
    }
    var form = config.additionalParameters
    form["acr_values"] = config.acrValues
    form["scope"] = config.scopes.sorted().joined(separator: " ")
    form[OidcClient.Constants.client_id] = config.clientId
    return try DeviceAuthorizationResponse(
      try await config.send(Request(sending: form, to: endpoint), maximumBytes: TokenAnswer.maximumBytes))
  }

  private enum Outcome {
    case pending, slowDown
    /// The network failed, or the server is temporarily unavailable.
    case trouble
    case ended(DeviceFlowState)
  }

  private func ask(_ deviceCode: String) async throws -> Outcome {
    let client = OidcClient(config: config)
    return try await config.shared.tokens.withLock {
      let answer: HttpResponse
      do {
        answer = try await client.tokenResponse(to: [
          OidcClient.Constants.grant_type: Self.grantType, "device_code": deviceCode,
          OidcClient.Constants.client_id: config.clientId,
        ])
      } catch OidcError.networkError(let cause, let message) {
        try Task.checkCancellation()
        config.logger.w("The provider could not be asked: \(message ?? "no reason")", error: cause)
        return .trouble
      }
      let tokens: TokenAnswer
      do throws(OpenIDError) { tokens = try client.read(answer) } catch {
        switch error.providerError {
        case "authorization_pending": return .pending
        case "slow_down": return .slowDown
        case "access_denied": return .ended(.accessDenied)
        case "expired_token": return .ended(.expired)
        default: break
        }
        if answer.status() >= 500 || answer.status() == 429 { return .trouble }
        throw OidcError(error, in: answer)
      }
      _ = try await client.store(tokens, nonce: nil)
      return .ended(.success(OidcUser(config: config)))
    }
  }
}
