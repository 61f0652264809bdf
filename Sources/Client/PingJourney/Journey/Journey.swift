public import Foundation
internal import PingCommons
internal import PingJourneyPlugin
internal import PingLogger
public import PingOrchestrate

/// A workflow that speaks the authentication-tree protocol of PingAM.
///
/// A journey ends with the session token, see `session()`. The user of `journeyUser()` has OpenID Connect tokens when ``OidcModule``
/// is configured with a client id.
public typealias Journey = Workflow

extension Journey {
  /// Creates a journey.
  ///
  /// The modules are `CustomHeader`, ``NodeTransformModule``, ``SessionModule`` and ``OidcModule``, in this order and all
  /// with priority 10, then those of `block`. The time limit is 30 seconds. Without a logger from `block`, the journey
  /// logs to `LogManager.logger` if the app has set one, else to `LogManager.standard`. When this method returns, the
  /// callbacks of this module and of every linked optional module are registered.
  public static func createJourney(block: @Sendable (JourneyConfig) -> Void = { _ in }) -> Journey {
    CoreCallbacks.registerCallbacks()
    JourneyModules.registerCallbacks()

    let config = JourneyConfig()
    config.timeout = 30
    if LogManager.logger is NoneLogger { config.useLogger(LogManager.standard) }
    config.module(CustomHeader.config) { addHeaders(to: $0, locales: Locale.userLanguages) }
    config.module(NodeTransformModule.config)
    config.module(SessionModule.config)
    config.module(OidcModule.config)
    block(config)
    return Workflow(config: config)
  }

  /// The headers of each start and each `next`; without locales the server chooses the language.
  static func addHeaders(to config: CustomHeaderConfig, locales: [Locale]) {
    config.header(name: Request.Constants.xRequestedWith, value: Request.Constants.pingSdk)
    config.header(name: Request.Constants.xRequestedPlatform, value: Request.Constants.platform)
    let languages = locales.toAcceptLanguage()
    if !languages.isEmpty { config.header(name: Request.Constants.acceptLanguage, value: languages) }
  }

  /// Starts the journey `journeyName` and returns its first node. Never throws; a failure is a `FailureNode`.
  public func start(_ journeyName: String, configure: @Sendable (inout Options) -> Void = { _ in }) async
    -> any Node
  {
    await begin(configure) { request, options in
      request.parameter(name: JourneyConstants.authIndexType, value: JourneyConstants.service)
      request.parameter(name: JourneyConstants.authIndexValue, value: journeyName)
      Self.add(options, to: request)
    }
  }

  /// Starts the journey in which the transaction `id` is approved, and returns its first node. Never throws; a failure is a
  /// `FailureNode`.
  ///
  /// The relying party's application has created the transaction on a Sealring server and passes its id to the device as a
  /// link, a code or a message. The server answers with 401 when the transaction is unknown, decided or expired. A
  /// `DeviceSigningVerifierCallback` of this run signs this transaction or nothing. Success creates no session: the token is
  /// `""`, and an existing session stays.
  public func start(
    transaction id: String, configure: @Sendable (inout Options) -> Void = { _ in }
  ) async -> any Node {
    await begin(configure, transaction: id) { request, options in
      request.parameter(name: JourneyConstants.authIndexType, value: JourneyConstants.transaction)
      request.parameter(name: JourneyConstants.authIndexValue, value: id)
      Self.add(options, to: request)
    }
  }

  /// Resumes a suspended journey.
  ///
  /// - Parameters:
  ///   - uri: the link that the person received; only its query item `suspendedId` is used.
  ///   - configure: sets the run's options.
  public func resume(_ uri: URL, configure: @Sendable (inout Options) -> Void = { _ in }) async -> any Node {
    let items = URLComponents(url: uri, resolvingAgainstBaseURL: true)?.queryItems
    guard let id = items?.first(where: { $0.name == JourneyConstants.suspendedId })?.value, !id.isEmpty else {
      return FailureNode(
        cause: ApiError.error(400, [:], "The link has no suspendedId: the journey cannot be resumed with it.")
      )
    }
    return await begin(configure) { request, options in
      Self.add(options, to: request)
      request.parameter(name: JourneyConstants.suspendedId, value: id)
    }
  }

  /// Ends the session on the server, then deletes it here.
  ///
  /// - Returns: success when the server ended the session or no longer knew it, or when there was none. Otherwise the session is
  ///   kept, so that the call can be repeated: the network's error, or ``ApiError`` when the server refused.
  public func journeySignOff() async -> Result<Void, any Error> { await signOff() }

  func begin(
    _ configure: @Sendable (inout Options) -> Void, transaction: String? = nil,
    _ fill: (Request, Options) -> Void
  ) async -> any Node {
    guard let config = config as? JourneyConfig else {
      return FailureNode(
        cause: ApiError.error(400, [:], "This workflow is not a journey: make it with Journey.createJourney.")
      )
    }
    var options = Options()
    configure(&options)
    let request = config.request(for: "authenticate")
    fill(request, options)
    request.header(name: JourneyConstants.acceptApiVersion, value: JourneyConstants.resource21Protocol10)
    request.body(body: [:])
    return await start(request, in: options.makeFlow(transaction: transaction))
  }

  static func add(_ options: Options, to request: Request) {
    if options.forceAuth { request.parameter(name: JourneyConstants.forceAuthParam, value: "true") }
    if options.noSession { request.parameter(name: JourneyConstants.noSessionParam, value: "true") }
  }
}
