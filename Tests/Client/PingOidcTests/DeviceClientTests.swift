import CommonFixtures
import Concurrency
import Foundation
import OpenIDFixtures
import PingOrchestrate
import StrictJSON
import Testing

@testable import PingOidc

@Suite("Tokens for a device (RFC 8628)") struct DeviceClientTests {
  private struct Outcome {
    var states: [DeviceFlowState] = []
    var pauses: [Int64] = []
    var started: DeviceAuthorizationResponse? {
      if case .started(let answer) = states.first { answer } else { nil }
    }
    /// The name of the last state, with the error's text.
    var end: String {
      switch states.last {
      case .failure(let error): "failure: \(error.errorMessage)"
      case .success: "success"
      case .accessDenied: "denied"
      case .expired: "expired"
      default: "open"
      }
    }
  }

  private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

  private static func refusal(_ error: String, _ status: Int = 400) -> FakeOpenIDProvider.Answer {
    .init(status, #"{"error":"\#(error)"}"#)
  }

  /// Plays the device to its end, without waiting: the clock goes on instead.
  private func play(
    _ provider: FakeOpenIDProvider, _ clock: ManualDate, _ change: (OidcClientConfig) -> Void = { _ in }
  ) async -> Outcome {
    let config = makeConfig(provider, now: clock) {
      $0.redirectUri = ""
      change($0)
    }
    let pauses = Locked<[Int64]>([])
    let client = OidcDeviceClient(config: config) { seconds in
      pauses.withLock { $0.append(seconds) }
      clock.advance(by: TimeInterval(seconds))
    }
    var outcome = Outcome()
    for await state in client.deviceAuthorization() { outcome.states.append(state) }
    outcome.pauses = pauses.withLock { $0 }
    return outcome
  }

  private func provider(
    _ lie: @Sendable (inout FakeOpenIDProvider.Behaviour) -> Void = { _ in }
  ) -> (FakeOpenIDProvider, ManualDate) {
    let clock = ManualDate(Date(timeIntervalSince1970: 1_767_952_800))
    let provider = FakeOpenIDProvider(now: { clock.now })
    provider.lie(lie)
    return (provider, clock)
  }

  @Test func `a device shows a code, asks at its interval, and has the tokens once somebody approved`()
    async throws
  {
    let (provider, clock) = provider { behaviour in
      behaviour.deviceRefusal = { $0 < 3 ? Self.refusal("authorization_pending") : nil }
    }
    let outcome = await play(provider, clock) { $0.acrValues = "urn:strong" }
    #expect(outcome.end == "success" && outcome.pauses == [5, 5, 5])
    #expect(outcome.started?.userCode == "BCDF-GHJK")
    #expect(outcome.started?.verificationUriComplete == "https://am.example.com/device?user_code=BCDF-GHJK")
    #expect("\(try #require(outcome.started))".contains("device-1") == false)
    let asked = try #require(provider.requests("/device/code").first?.form)
    #expect(asked["client_id"] == "app" && asked["acr_values"] == "urn:strong")
    #expect(asked["scope"]?.contains("openid") == true && asked["redirect_uri"] == nil)
    #expect(provider.requests("/access_token").allSatisfy { $0.form["grant_type"] == Self.grant })
    guard case .success(let user) = outcome.states.last else { return }
    #expect(try await user.token().get().accessToken == "access-1")
  }

  @Test func `who is told to slow down does, and trouble on the way is not the end`() async throws {
    let (provider, clock) = provider { behaviour in
      behaviour.deviceRefusal = { number in
        switch number {
        case 1: Self.refusal("slow_down")
        case 2: Self.refusal("temporarily_unavailable", 503)
        case 3: .init(502, "<html>")
        case 4: Self.refusal("authorization_pending")
        default: nil
        }
      }
    }
    let outcome = await play(provider, clock)
    #expect(outcome.end == "success" && outcome.pauses == [5, 10, 20, 40, 40])
  }

  @Test(arguments: [("access_denied", "denied"), ("expired_token", "expired")])
  func `a refusal and the end of the time end it`(error: String, end: String) async throws {
    let (provider, clock) = provider { $0.deviceRefusal = { _ in Self.refusal(error) } }
    let outcome = await play(provider, clock)
    #expect(outcome.end == end && provider.requests("/access_token").count == 1)
  }

  @Test func `nobody is asked after the time is over, whatever the provider says`() async throws {
    let (provider, clock) = provider { behaviour in
      behaviour.device["expires_in"] = 21
      behaviour.deviceRefusal = { _ in Self.refusal("authorization_pending") }
    }
    let outcome = await play(provider, clock)
    #expect(outcome.end == "expired" && provider.requests("/access_token").count == 4)
  }

  @Test(arguments: ["invalid_grant", "invalid_client", "unauthorized_client"])
  func `a refusal that will not change is a failure with the provider's word`(error: String) async throws {
    let (provider, clock) = provider { $0.deviceRefusal = { _ in Self.refusal(error) } }
    let outcome = await play(provider, clock)
    #expect(outcome.end.contains("failure") && outcome.end.contains(error), "\(outcome.end)")
    #expect(provider.requests("/access_token").count == 1)
  }

  @Test(arguments: [
    ("device_code", JSONValue.null), ("user_code", "a\nb"), ("user_code", ""), ("user_code", "КОД"),
    ("user_code", .string(String(repeating: "B", count: 65))), ("verification_uri", "http://evil.example/"),
    ("verification_uri", "javascript:alert(1)"), ("verification_uri", .null), ("expires_in", 0),
    ("expires_in", .null), ("expires_in", 90_000), ("interval", 0), ("interval", -5), ("interval", 90_000),
  ])
  func `an answer that nobody could be shown, or that never ends, is refused`(
    name: String, value: JSONValue
  ) async throws {
    let (provider, clock) = provider { $0.device[name] = value.isNull ? nil : value }
    let outcome = await play(provider, clock)
    #expect(outcome.end.hasPrefix("failure") && outcome.states.count == 1, "\(outcome.states)")
    #expect(provider.requests("/access_token").isEmpty)
  }

  @Test(arguments: ["https://evil.example/device?user_code=BCDF-GHJK", "x"])
  func `a complete address that leads elsewhere is left out`(address: String) async throws {
    let (provider, clock) = provider { $0.device["verification_uri_complete"] = .string(address) }
    let outcome = await play(provider, clock)
    #expect(outcome.started != nil && outcome.started?.verificationUriComplete == nil)
  }

  @Test func `an ID token that is not for this client gives nothing`() async throws {
    let (provider, clock) = provider { $0.claims = { $0["aud"] = "another" } }
    let outcome = await play(provider, clock)
    #expect(outcome.end.hasPrefix("failure"))
    let (none, later) = self.provider { $0.idToken = { _ in nil } }
    #expect(await play(none, later).end.contains("no ID token"))
  }

  @Test func `a provider without devices is said to be one`() async throws {
    let (provider, clock) = provider { $0.metadata = { $0["device_authorization_endpoint"] = nil } }
    let outcome = await play(provider, clock)
    #expect(outcome.end.contains("no device authorization endpoint"))
  }

  @Test func `who stops listening stops the questions`() async throws {
    let (provider, clock) = provider { $0.deviceRefusal = { _ in Self.refusal("authorization_pending") } }
    let stopped = Locked(false)
    let client = OidcDeviceClient(config: makeConfig(provider, now: clock)) { _ in
      do { try await Task.sleep(for: .seconds(3600)) } catch {
        stopped.withLock { $0 = true }
        throw error
      }
    }
    let reader = Task { for await _ in client.deviceAuthorization() {} }
    try await eventually("the device has asked") { !provider.requests("/device/code").isEmpty }
    reader.cancel()
    try await eventually("the questions end") { stopped.withLock { $0 } }
    #expect(provider.requests("/access_token").isEmpty)
  }
}
