public import Foundation

/// A component that takes part in a workflow's phases, with its own configuration.
// `setup` and `config` are set in `init` alone; `id` is guarded.
public class Module<ModuleConfig>: Equatable, @unchecked Sendable where ModuleConfig: Sendable {
  /// Registers the module's handlers.
  public private(set) var setup: @Sendable (Setup<ModuleConfig>) -> Void
  /// Makes a fresh configuration.
  public private(set) var config: @Sendable () -> ModuleConfig
  /// The module's identity: registrations with the same id are of the same module.
  @Guarded public var id: UUID = UUID()

  /// A module with a fresh id.
  public init(
    config: @escaping @Sendable () -> ModuleConfig,
    setup: @escaping @Sendable (Setup<ModuleConfig>) -> Void
  ) {
    self.config = config
    self.setup = setup
  }

  /// A module with a fresh id.
  public static func of(
    _ config: @escaping @Sendable () -> ModuleConfig,
    setup: @escaping @Sendable (Setup<ModuleConfig>) -> Void
  ) -> Module<ModuleConfig> {
    Module(config: config, setup: setup)
  }

  /// Whether both have the same id.
  public static func == (lhs: Module<ModuleConfig>, rhs: Module<ModuleConfig>) -> Bool { lhs.id == rhs.id }
}

extension Module where ModuleConfig == Void {
  /// A module with a fresh id that has nothing to configure.
  public static func of(setup: @escaping @Sendable (Setup<Void>) -> Void) -> Module<Void> {
    Module(config: {}, setup: setup)
  }
}

/// An action that needs the node it belongs to.
public protocol ContinueNodeAware {
  /// The node, once it exists. Hold it weakly, for instance with ``GuardedWeak``: the node holds its actions.
  var continueNode: ContinueNode? { get set }
}

/// An action that may change or replace the request which answers its node.
public protocol RequestInterceptor {
  /// The request to send instead of `request`.
  func intercept(context: FlowContext, request: Request) -> Request
}
