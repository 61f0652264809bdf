public import Foundation
public import PingJourneyPlugin

/// Registers this module's callbacks. A journey calls it automatically when the module is linked into the program.
public class ExternalIdPModule: NSObject, CallbackProvider {
  public override init() { super.init() }

  /// Registers the callbacks before it returns. A class that the app has registered stays.
  public static func registerCallbacks() {
    let registry = CallbackRegistry.shared
    registry.registerIfAbsent(type: JourneyConstants.selectIdpCallback, callback: SelectIdpCallback.self)
    registry.registerIfAbsent(type: JourneyConstants.idpCallback, callback: IdpCallback.self)
    registry.registerIfAbsent(type: JourneyConstants.redirectCallback, callback: RedirectCallback.self)
  }
}

extension JourneyConstants {
  /// The protocol's type of ``SelectIdpCallback``.
  public static let selectIdpCallback = "SelectIdPCallback"
  /// The protocol's type of ``IdpCallback``.
  public static let idpCallback = "IdPCallback"
  /// The protocol's type of ``RedirectCallback``.
  public static let redirectCallback = "RedirectCallback"
}
