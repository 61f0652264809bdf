internal import Concurrency

/// A module that provides callbacks.
public protocol CallbackProvider: SendableMetatype {
  /// Registers the module's callbacks with ``CallbackRegistry/shared`` before it returns. Called each time a journey is
  /// created, so it should use ``CallbackRegistry/registerIfAbsent(type:callback:)``.
  static func registerCallbacks()
}

/// The modules whose callbacks are registered with every new journey.
///
/// Optional modules that are linked into the program are found by name: PingJourney does not depend on them, and without an
/// Objective-C runtime `NSClassFromString` cannot find a class. The mangled type name works everywhere, since the program keeps
/// the type metadata of linked modules. A module from a static library that the program never references is not linked; call its
/// `registerCallbacks()` to reference it.
public enum JourneyModules {
  private static let registered = Locked<[any CallbackProvider.Type]>([])

  /// The optional modules, each with its type that conforms to ``CallbackProvider``.
  private static let optional: [(module: String, type: String)] = [
    ("PingBinding", "BindingModule"), ("PingFido", "CallbackInitializer"),
    ("PingDeviceProfile", "DeviceProfile"), ("PingExternalIdP", "ExternalIdPModule"),
  ]

  /// Registers the callbacks of `provider`, now and with each journey created later.
  public static func register(_ provider: any CallbackProvider.Type) {
    registered.withLock { registered in
      if !registered.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(provider) }) {
        registered.append(provider)
      }
    }
    provider.registerCallbacks()
  }

  /// Registers the callbacks of all linked and registered modules.
  package static func registerCallbacks() {
    for (module, type) in optional { linkedProvider(type, in: module)?.registerCallbacks() }
    for provider in registered.withLock({ $0 }) { provider.registerCallbacks() }
  }

  /// The provider `type` of `module`, if it is linked into the program.
  package static func linkedProvider(_ type: String, in module: String) -> (any CallbackProvider.Type)? {
    // The mangled name: each identifier with its length in front, then the kind: class, structure or enumeration.
    let name = "\(module.utf8.count)\(module)\(type.utf8.count)\(type)"
    for kind in ["C", "V", "O"] {
      if let provider = _typeByName(name + kind) as? any CallbackProvider.Type { return provider }
    }
    return nil
  }
}
