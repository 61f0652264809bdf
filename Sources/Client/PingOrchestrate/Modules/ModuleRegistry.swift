public import Foundation

/// A module with its configuration, registered in a ``WorkflowConfig``.
public protocol ModuleRegistryProtocol<Config>: Sendable where Config: Sendable {
  /// The module's configuration.
  associatedtype Config: Sendable
  /// The module's id, or a fresh one when it was appended.
  var id: UUID { get }
  /// The module's place in the order: lower comes first.
  var priority: Int { get }
  /// The module's configuration.
  var config: Config { get }
  /// Registers the module's handlers.
  var setup: @Sendable (Setup<Config>) -> Void { get }
  /// Runs `setup` for `workflow`.
  func register(workflow: Workflow)
}

/// A module with its configuration.
public final class ModuleRegistry<Config>: ModuleRegistryProtocol where Config: Sendable {
  public let id: UUID
  public let priority: Int
  public let config: Config
  public let setup: @Sendable (Setup<Config>) -> Void

  public init(setup: @escaping @Sendable (Setup<Config>) -> Void, priority: Int, id: UUID, config: Config) {
    self.setup = setup
    self.priority = priority
    self.id = id
    self.config = config
  }

  public func register(workflow: Workflow) {
    setup(Setup(workflow: workflow, config: config))
  }
}

extension ModuleRegistry: Comparable {
  public static func < (lhs: ModuleRegistry<Config>, rhs: ModuleRegistry<Config>) -> Bool {
    lhs.priority < rhs.priority
  }

  /// Whether both have the same priority.
  public static func == (lhs: ModuleRegistry<Config>, rhs: ModuleRegistry<Config>) -> Bool {
    lhs.priority == rhs.priority
  }
}

/// What happens when a module is registered twice.
public enum OverrideMode {
  /// The new configuration replaces the old one and keeps its priority.
  case override
  /// Both take part; the new one can never be overridden.
  case append
  /// The old one stays.
  case ignore
}
