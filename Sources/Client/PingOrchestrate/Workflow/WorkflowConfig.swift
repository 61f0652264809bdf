public import Foundation
public import PingLogger

/// A workflow's configuration: modules, a time limit, a logger and an HTTP client.
// Every stored property is guarded.
open class WorkflowConfig: @unchecked Sendable {
  /// The registered modules: in the order of registration until a workflow is made, from then on by priority.
  @Guarded public private(set) var modules: [any ModuleRegistryProtocol] = []

  /// How long the HTTP client waits for an answer, from the request to its last byte, in seconds.
  @Guarded public var timeout: TimeInterval = 15

  /// Whether requests may use plain `http` to other machines, where anyone on the network path can read the passwords and
  /// sessions they carry. Meant for tests with a server such as `http://10.0.2.2:8080`; requests to this machine need no permission.
  @Guarded public var allowsInsecureHTTP = false

  /// The HTTP client; replace it to add a proxy, certificate pinning or a transport for tests.
  @Guarded public var httpClient: HttpClient = HttpClient()

  @Guarded private var ownLogger: any Logger = LogManager.logger

  /// Where this workflow logs to.
  ///
  /// Setting it also sets `LogManager.logger`, which modules without a workflow use. Workflows that exist already keep
  /// the logger that they were configured with.
  public var logger: any Logger {
    get { ownLogger }
    set {
      ownLogger = newValue
      LogManager.logger = newValue
    }
  }

  /// A configuration without modules.
  public init() {}

  /// Sets this workflow's logger and leaves `LogManager.logger` alone.
  package func useLogger(_ logger: any Logger) { ownLogger = logger }

  /// Registers a module.
  ///
  /// - Parameters:
  ///   - module: the module.
  ///   - priority: lower comes first; equal ones keep the order of registration.
  ///   - mode: what happens when the module is already registered. An override keeps the earlier priority.
  ///   - config: fills a fresh configuration; runs at once.
  public func module<T: Sendable>(
    _ module: Module<T>, priority: Int = 10, mode: OverrideMode = .override,
    _ config: @escaping @Sendable (T) -> Void = { _ in }
  ) {
    let place = modules.firstIndex { $0.id == module.id }
    if mode == .ignore, place != nil { return }

    let moduleConfig = module.config()
    config(moduleConfig)
    func registry(priority: Int, id: UUID) -> ModuleRegistry<T> {
      ModuleRegistry(setup: module.setup, priority: priority, id: id, config: moduleConfig)
    }
    if mode == .override, let place {
      modules[place] = registry(priority: modules[place].priority, id: module.id)
    } else {
      modules.append(registry(priority: priority, id: mode == .append ? UUID() : module.id))
    }
  }

  /// Passes this configuration's time limit and logger to the HTTP client, and registers each module with `workflow`.
  public func register(workflow: Workflow) {
    let client = httpClient
    client.timeoutIntervalForRequest = timeout
    client.logger = logger
    if allowsInsecureHTTP { client.allowsInsecureHTTP = true }
    // `sorted` alone does not promise to keep the order of registration among modules of equal priority.
    modules = modules.enumerated().sorted {
      ($0.element.priority, $0.offset) < ($1.element.priority, $1.offset)
    }.map(\.element)
    for module in modules { module.register(workflow: workflow) }
  }
}

/// The names of settings that modules share.
public enum ModuleKeys: String {
  case customHeader = "customHeader"
  case nosession = "nosession"
  case forceAuth = "forceAuth"
}
