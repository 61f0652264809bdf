internal import Concurrency

/// A module that brings callbacks along.
public protocol CallbackProvider: SendableMetatype {
  /// Registers the module's callbacks with ``CallbackRegistry/shared``; complete when it returns. Called each time a
  /// journey is created, so it should use ``CallbackRegistry/registerIfAbsent(type:callback:)``.
  static func registerCallbacks()
}

/// The modules whose callbacks every new journey knows.
///
/// Optional modules that are linked into the program are found by their names: PingJourney does not depend on them, and
/// without an Objective-C runtime a class cannot be looked up by `NSClassFromString`. What works instead everywhere is the
/// mangled type name, since the type metadata of whatever is linked in stays in the program. A module from a static
/// library that the program never mentions is not linked in; call its `registerCallbacks()`, which mentions it.
public enum JourneyModules {
  private static let registered = Locked<[any CallbackProvider.Type]>([])

  /// The modules that are looked up, each with the type that conforms to ``CallbackProvider``.
  private static let optional: [(module: String, type: String)] = [
    ("PingBinding", "BindingModule"), ("PingFido", "CallbackInitializer"),
    ("PingDeviceProfile", "DeviceProfile"),
  ]

  /// Lets `provider` register its callbacks now and with each journey that is created from now on.
  public static func register(_ provider: any CallbackProvider.Type) {
    registered.withLock { registered in
      if !registered.contains(where: { ObjectIdentifier($0) == ObjectIdentifier(provider) }) {
        registered.append(provider)
      }
    }
    provider.registerCallbacks()
  }

  /// Lets every linked and every registered module register its callbacks.
  package static func registerCallbacks() {
    for (module, type) in optional { linkedProvider(type, in: module)?.registerCallbacks() }
    for provider in registered.withLock({ $0 }) { provider.registerCallbacks() }
  }

  /// The provider `type` of `module`, if it is linked into the program.
  package static func linkedProvider(_ type: String, in module: String) -> (any CallbackProvider.Type)? {
    // The mangled name: each identifier after its length, then whether it is a class, a structure or an enumeration.
    let name = "\(module.utf8.count)\(module)\(type.utf8.count)\(type)"
    for kind in ["C", "V", "O"] {
      if let provider = _typeByName(name + kind) as? any CallbackProvider.Type { return provider }
    }
    return nil
  }
}
