public import Foundation
public import PingJourneyPlugin

/// Registers the callbacks of this module. A journey does so by itself when the module is linked into the program.
public class CallbackInitializer: NSObject, CallbackProvider {
  public override init() { super.init() }

  /// Registers ``FidoRegistrationCallback`` and ``FidoAuthenticationCallback``, which take the place of the metadata callbacks
  /// that announce them; complete when it returns. A class that the app has registered stays.
  public static func registerCallbacks() {
    CallbackRegistry.shared.registerIfAbsent(
      type: JourneyConstants.fidoRegistrationCallback, callback: FidoRegistrationCallback.self)
    CallbackRegistry.shared.registerIfAbsent(
      type: JourneyConstants.fidoAuthenticationCallback, callback: FidoAuthenticationCallback.self)
  }
}
