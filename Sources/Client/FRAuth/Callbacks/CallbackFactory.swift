internal import AppIntegrity
internal import Concurrency
internal import Foundation
internal import PingJourneyPlugin

/// Maps callback types to classes.
public final class CallbackFactory: Sendable {
  /// The process's factory.
  public static let shared = CallbackFactory()

  private let table = Locked<[String: Callback.Type]>([:])

  private init() { registerStandard() }

  /// The registered classes by type.
  public var supportedCallbacks: [String: Callback.Type] { table.withLock { $0 } }

  /// Registers `callbackClass` for `callbackType`, replacing an earlier registration.
  public func registerCallback(callbackType: String, callbackClass: Callback.Type) {
    table.withLock { $0[callbackType] = callbackClass }
  }

  func registerStandard() {
    let standard: [String: Callback.Type] = [
      "NameCallback": NameCallback.self, "PasswordCallback": PasswordCallback.self,
      "TextInputCallback": TextInputCallback.self, "ChoiceCallback": ChoiceCallback.self,
      "HiddenValueCallback": HiddenValueCallback.self, "MetadataCallback": MetadataCallback.self,
      AppIntegrityField.callbackType: FRAppIntegrityCallback.self,
      "WebAuthnRegistrationCallback": WebAuthnRegistrationCallback.self,
      "WebAuthnAuthenticationCallback": WebAuthnAuthenticationCallback.self,
    ]
    table.withLock { $0.merge(standard) { registered, _ in registered } }
  }

  /// The callback that represents `posted`. An unregistered type becomes a plain ``Callback``, which is posted as received.
  ///
  /// - Throws: What the registered class throws for a callback that lacks what it needs.
  func callback(for posted: any PingJourneyPlugin.Callback) throws -> Callback {
    let json = (posted as? AbstractCallback)?.json ?? posted.payload()
    let type = json["type"] as? String ?? ""
    // The classes for WebAuthn keep the type MetadataCallback in the protocol.
    let registered = type == "MetadataCallback" ? WebAuthnCallback.announcedType(of: json) ?? type : type
    let kind = table.withLock { $0[registered] } ?? Callback.self
    let callback = try kind.init(json: json)
    callback.posted = posted
    return callback
  }
}
