internal import AppIntegrity
internal import Concurrency
public import Foundation
@_exported public import FRCore
internal import PingFido
public import PingJourney
internal import PingJourneyPlugin
internal import PingLogger
internal import PingOrchestrate

/// The earlier SDK's entry point, implemented with a PingJourney journey.
public final class FRAuth: Sendable {
  /// The instance that ``start()`` has started; `nil` before that.
  public static var shared: FRAuth? { current.withLock { $0 } }

  /// The name of the property list that ``start()`` reads from the main bundle, without its extension.
  public static var configPlistFileName: String {
    get { plistName.withLock { $0 } }
    set { plistName.withLock { $0 = newValue } }
  }

  /// The options that ``start(options:configure:)`` was given.
  public let options: FROptions
  let journey: Journey

  private static let current = Locked<FRAuth?>(nil)
  private static let plistName = Locked("FRAuthConfig")

  private init(options: FROptions, journey: Journey) {
    self.options = options
    self.journey = journey
  }

  /// Starts with the options of the property list ``configPlistFileName``.
  ///
  /// - Throws: ``ConfigError``
  public static func start() throws {
    let name = configPlistFileName
    guard let url = Bundle.main.url(forResource: name, withExtension: "plist") else {
      throw ConfigError.invalidConfiguration(
        "The main bundle has no \(name).plist. Add it, or call FRAuth.start(options:).")
    }
    try start(options: FROptions(plist: Data(contentsOf: url)))
  }

  /// Starts with `options`, replacing an earlier start. Registers the callbacks of FRDeviceBinding when that is linked into the
  /// program.
  ///
  /// - Parameter configure: Changes the journey's configuration further.
  /// - Throws: ``ConfigError``
  public static func start(
    options: FROptions, configure: @escaping @Sendable (JourneyConfig) -> Void = { _ in }
  ) throws {
    try options.check()
    CallbackFactory.shared.registerStandard()
    CallbackInitializer.registerCallbacks()
    CallbackRegistry.shared.registerIfAbsent(
      type: AppIntegrityField.callbackType, callback: PostedAppIntegrityCallback.self)
    JourneyModules.linkedProvider("FRDeviceBinding", in: "FRDeviceBinding")?.registerCallbacks()
    let journey = Journey.createJourney { config in
      config.serverUrl = options.url
      config.realm = options.realm
      config.cookie = options.cookieName
      config.timeout = options.timeout
      config.allowsInsecureHTTP = options.allowsInsecureHTTP
      config.logger = LogManager.logger
      // Runs after all other modules, which fill the request.
      config.module(Interception.module, priority: 1000) { _ in }
      configure(config)
    }
    FRSession.begin()
    current.withLock { $0 = FRAuth(options: options, journey: journey) }
  }

  /// The started instance.
  ///
  /// - Throws: ``ConfigError/invalidSDKState``
  static func started() throws -> FRAuth {
    guard let shared else { throw ConfigError.invalidSDKState }
    return shared
  }
}

/// Why the SDK cannot be used.
public enum ConfigError: LocalizedError, Hashable, Sendable {
  /// A setting is missing or wrong.
  case invalidConfiguration(String)
  /// ``FRAuth/start()`` has not been called, or has failed.
  case invalidSDKState

  public var errorDescription: String? {
    switch self {
    case .invalidConfiguration(let reason): reason
    case .invalidSDKState: "The SDK is not started. Call FRAuth.start() first."
    }
  }

  /// The reason, for the app's developer; never `nil`.
  public var failureReason: String? {
    switch self {
    case .invalidConfiguration(let reason): reason
    case .invalidSDKState: "FRAuth.start() was not called, or failed."
    }
  }

  /// What to do; never `nil`.
  public var recoverySuggestion: String? {
    switch self {
    case .invalidConfiguration: "Correct the options that FRAuth.start is given."
    case .invalidSDKState: "Call FRAuth.start() first."
    }
  }
}
