/// The loggers that come with the package, written `Logger.standard`, `Logger.warning`, `Logger.none`, `Logger.logger`.
///
/// Apps name the *protocol* `Logger` to write a logger of their own, and write `Logger.standard` to get ours. A static
/// member cannot be reached through a protocol's own name, so `Logger` is two declarations: the protocol in PingLogger,
/// which every type position means, and the value below, which every expression means. They have to live in two
/// modules, because one module cannot declare a type and a variable of the same name. PingLogger re-exports this one
/// and adds the members, so that apps import PingLogger alone.
public struct LoggerPresets: Sendable {
  /// Apps use the value ``Logger`` instead of creating their own.
  public init() {}
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The namespace in front of `.standard`, `.warning`, `.none` and `.logger`.
public let Logger = LoggerPresets()
