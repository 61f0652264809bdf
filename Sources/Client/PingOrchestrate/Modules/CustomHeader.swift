/// The headers that ``CustomHeader`` sends.
// Its one stored property is guarded.
public class CustomHeaderConfig: @unchecked Sendable {
  @Guarded package private(set) var headers: [CustomHeaderField] = []

  init() {}

  /// Adds a header to send, after those added before.
  public func header(name: String, value: String) {
    headers.append(CustomHeaderField(name: name, value: value))
  }
}

/// One header of ``CustomHeaderConfig``.
package struct CustomHeaderField: Sendable {
  package let name: String
  package let value: String
}

/// Adds headers to the requests of each start and each `next`, in the order in which they were added, but not to those of a sign-off.
public class CustomHeader {
  public init() {}

  /// The module to pass to ``WorkflowConfig/module(_:priority:mode:_:)``.
  public static let config: Module<CustomHeaderConfig> = Module.of({ CustomHeaderConfig() }) { setup in
    let config = setup.config
    setup.start { _, request in
      add(config, to: request)
      return request
    }
    setup.next { _, _, request in
      add(config, to: request)
      return request
    }
  }

  private static func add(_ config: CustomHeaderConfig, to request: Request) {
    for field in config.headers { request.header(name: field.name, value: field.value) }
  }
}
