public import PingBrowser
public import PingOrchestrate

/// How a sign-in in the browser is shown.
// Its stored properties are guarded.
public class OidcWebConfig: WorkflowConfig, @unchecked Sendable {
  /// How the browser is shown.
  @Guarded public var browserType: BrowserType = .authSession
  /// What the browser is opened for.
  @Guarded public var browserMode: BrowserMode = .login
}
