internal import Concurrency
internal import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate
public import PingStorage

#if canImport(FoundationNetworking)
  internal import Foundation
  internal import FoundationNetworking
#else
  internal import Foundation
#endif

extension SharedContext.Keys {
  /// The ``SessionConfig`` of a journey.
  public static let sessionConfigKey = "com.pingidentity.journey.SessionConfig"
}

/// Where a journey keeps its session.
// Its stored property is guarded.
public class SessionConfig: @unchecked Sendable {
  /// Where the session is kept between runs.
  @Guarded public var storage: any Storage<SSOTokenImpl>

  /// Keeps the session under the account `com.pingidentity.journey.SessionConfig`.
  public convenience init() { self.init(account: SharedContext.Keys.sessionConfigKey) }

  /// Keeps the session under `account` of the Keychain; on Linux in an encrypted file of that name.
  public init(account: String) {
    storage = KeychainStorage<SSOTokenImpl>(
      account: account, encryptor: DeviceEncryptor())
  }
}

/// Keeps the session of a journey: sends it with requests, stores a new one, and ends it on the server before forgetting it.
///
/// A session belongs to the server, realm and cookie that it came from (``SessionIssuer``). A journey with another configuration
/// ignores it: it is not sent, not returned by `session()`, and not signed off. A session that an earlier version stored has no
/// issuer and is not used: sign in once more.
///
/// The session stays on the device until the server has answered the sign-off, so that a sign-off without a network can be
/// repeated. A storage that cannot be read or written makes the call fail.
public class SessionModule {
  public init() {}

  /// The module; every journey has it.
  public static let config: Module<SessionConfig> = Module.of({ SessionConfig() }) { setup in
    // Handlers capture these rather than `setup`, which would keep the workflow alive for ever.
    let session = setup.config
    let context = setup.context
    let journey = setup.workflow.config as? JourneyConfig

    setup.initialize { context.set(key: SharedContext.Keys.sessionConfigKey, value: session) }

    setup.start { _, request in
      try await addToken(of: session, for: journey, to: request)
      return request
    }

    setup.next { flow, _, request in
      let options = Options(of: flow)
      request.parameter(name: JourneyConstants.noSessionParam, value: "\(options.noSession)")
      request.parameter(name: JourneyConstants.forceAuthParam, value: "\(options.forceAuth)")
      try await addToken(of: session, for: journey, to: request)
      return request
    }

    setup.success { _, success in
      if let token = success.session as? SSOTokenImpl, !token.value.isEmpty {
        try await session.storage.save(
          item: SSOTokenImpl(
            value: token.value, successUrl: token.successUrl, realm: token.realm,
            issuer: journey?.sessionIssuer))
      }
      return success
    }

    // The session that is being signed off. The calls of a workflow run one after the other.
    let ending = Locked<SSOTokenImpl?>(nil)
    setup.workflow.signOffHandlers.append { request in
      ending.withLock { $0 = nil }
      // Without a session the request stays as it is: another module may have something to end.
      guard let journey, let token = try await session.storage.get(), let issuer = token.issuer,
        token.isUsable(by: journey.sessionIssuer)
      else { return request }
      ending.withLock { $0 = token }
      return signOff(of: token, as: issuer.cookie, journey)
    }
    let logger = setup.logger
    setup.signedOff { request, response in
      // The app may have set another cookie's name, and another module may have replaced the request: what ends is what was sent.
      guard let token = ending.withLock({ $0 }), let issuer = token.issuer,
        request.urlRequest.value(forHTTPHeaderField: issuer.cookie) == token.value
      else { return }
      try await conclude(token, response, session, logger)
    }
  }

  private static func signOff(of token: SSOTokenImpl, as cookie: String, _ journey: JourneyConfig) -> Request
  {
    let request = journey.request(for: "sessions")
    request.parameter(name: "_action", value: "logout")
    request.body(body: [:])
    request.setHeader(name: JourneyConstants.acceptApiVersion, value: JourneyConstants.resource31)
    request.setHeader(name: Request.Constants.xRequestedWith, value: Request.Constants.pingSdk)
    request.setHeader(name: Request.Constants.xRequestedPlatform, value: Request.Constants.platform)
    request.setHeader(name: cookie, value: token.value)
    return request
  }

  /// Forgets the session that the server has ended. One that was stored meanwhile stays.
  private static func conclude(
    _ token: SSOTokenImpl, _ response: any Response, _ session: SessionConfig, _ logger: any Logger
  ) async throws {
    switch response.status() {
    case 200..<300: break
    // The server no longer knows the session, which is what was asked for. It answers the same when its cookie has another name.
    case 401:
      logger.i(
        "The server did not know the session: it had ended before it was signed off, or the server's cookie has another name than \(token.issuer?.cookie ?? "")"
      )
    case let status:
      let json = (try? response.json()) ?? [:]
      let message = json[JourneyConstants.message] as? String ?? "the server answered HTTP \(status)"
      throw ApiError.error(status, json, "The session was not signed off, and is kept: \(message)")
    }
    guard try await session.storage.get()?.value == token.value else { return }
    try await session.storage.delete()
  }

  private static func addToken(
    of session: SessionConfig, for journey: JourneyConfig?, to request: Request
  ) async throws {
    guard let token = try await session.storage.get(), let journey, let issuer = token.issuer,
      token.isUsable(by: journey.sessionIssuer)
    else { return }
    // The request may go elsewhere: an app may start a journey with its own request, or a module may have changed this one.
    guard let server = journey.serverUrl.flatMap({ URL(string: $0) }), let url = request.urlRequest.url,
      [url.scheme, url.host] == [server.scheme, server.host], url.port == server.port
    else { return }
    request.setHeader(name: issuer.cookie, value: token.value)
  }
}

extension Workflow {
  /// The stored session; `nil` when no one is signed in at this server and realm, or when the storage cannot be read, which is
  /// logged.
  public func session() async -> (any SSOToken)? {
    do {
      try await initialize()
      let issuer = (config as? JourneyConfig)?.sessionIssuer
      return try await sessionConfig?.storage.get().flatMap { $0.isUsable(by: issuer) ? $0 : nil }
    } catch {
      config.logger.w("The stored session could not be read", error: error)
      return nil
    }
  }

  /// Deletes the stored session without notifying the server; see ``journeySignOff()``.
  public func deleteSession() async {
    do {
      try await initialize()
      try await sessionConfig?.storage.delete()
    } catch {
      config.logger.w("The stored session could not be deleted", error: error)
    }
  }

  private var sessionConfig: SessionConfig? {
    sharedContext.get(key: SharedContext.Keys.sessionConfigKey) as? SessionConfig
  }
}
