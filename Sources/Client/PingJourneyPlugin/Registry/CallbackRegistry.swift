internal import Concurrency
internal import Foundation
package import PingLogger
public import PingOrchestrate

/// Maps callback types to the classes that read them.
///
/// There is one registry per process. Modules register when a journey is created, before its first step is read; an app may
/// register its own callbacks at any time.
public actor CallbackRegistry {
  /// The process's registry.
  public static let shared = CallbackRegistry()

  // A lock guards the table instead of the actor, so that registration is complete when a synchronous call returns.
  private nonisolated let table = Locked<[String: any Callback.Type]>([:])

  /// An empty registry.
  package init() {}

  /// The registered classes by type.
  public var callbacks: [String: any Callback.Type] { table.withLock { $0 } }

  /// Registers `callback` for `type`, replacing an earlier registration.
  public func register(type: String, callback: any Callback.Type) {
    registerSynchronously(type: type, callback: callback)
  }

  /// Registers `callback` for `type` before it returns, replacing an earlier registration.
  nonisolated public func registerSynchronously(type: String, callback: any Callback.Type) {
    table.withLock { $0[type] = callback }
  }

  /// Registers `callback` for `type` unless a class is registered. Modules use it, so that an app's choice stays.
  nonisolated public func registerIfAbsent(type: String, callback: any Callback.Type) {
    table.withLock { if $0[type] == nil { $0[type] = callback } }
  }

  /// The class that is registered for `key`.
  public func type(for key: String) -> (any Callback.Type)? { registeredType(for: key) }

  /// The class that is registered for `key`.
  nonisolated package func registeredType(for key: String) -> (any Callback.Type)? {
    table.withLock { $0[key] }
  }

  /// Removes all registrations. The next journey that is created registers its callbacks again.
  public func reset() { table.withLock { $0 = [:] } }

  /// Reads the callbacks of a step, in order.
  ///
  /// An unregistered type becomes an ``UnknownCallback`` and is logged as a warning. Callbacks that conform
  /// to ``MetadataCallbackProtocol`` are left out.
  public func callback(from array: [[String: any Sendable]]) async -> Callbacks {
    await callbacks(from: array.map { JSONBox($0) }, logger: LogManager.logger)
  }

  /// Reads the callbacks of a step, in order, and logs to `logger`.
  nonisolated package func callbacks(from array: [JSONBox], logger: any Logger) async -> Callbacks {
    var callbacks: Callbacks = []
    for json in array.map(\.object) {
      let type = json[JourneyConstants.type] as? String ?? ""
      let kind = registeredType(for: type)
      if kind == nil {
        logger.w(
          "No class is registered for the callback type '\(type)'; it is kept as UnknownCallback and posted back as"
            + " received. Link the module that handles it, or register a class with CallbackRegistry.",
          error: nil)
      }
      let callback = await (kind ?? UnknownCallback.self).init().initialize(with: json)
      if !(callback is any MetadataCallbackProtocol) { callbacks.append(callback) }
    }
    return callbacks
  }

  /// Gives each callback of `continueNode` the node and the journey, if it wants them.
  public func inject(continueNode: ContinueNode, journey: Journey) {
    Self.connect(continueNode, journey)
  }

  /// Gives each callback of `continueNode` the node and the journey, if it wants them.
  package static func connect(_ continueNode: ContinueNode, _ journey: Journey) {
    for callback in continueNode.callbacks {
      if var callback = callback as? any JourneyAware { callback.journey = journey }
      if var callback = callback as? any ContinueNodeAware { callback.continueNode = continueNode }
    }
  }
}

/// A callback of a type that no module has registered.
///
/// It is among the node's callbacks, so that an app can report or handle it: read and change ``AbstractCallback/json``. It is posted
/// back as received, with those changes.
// Adds no stored property.
public final class UnknownCallback: AbstractCallback, @unchecked Sendable {
  /// The protocol's type; `""` when there is none.
  public var type: String { json[JourneyConstants.type] as? String ?? "" }

  /// The names of its inputs, in their order.
  package var inputNames: [String] {
    (json[JourneyConstants.input] as? [[String: Any]] ?? []).compactMap {
      $0[JourneyConstants.name] as? String
    }
  }
}
