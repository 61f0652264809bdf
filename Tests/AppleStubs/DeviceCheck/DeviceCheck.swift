// What of DeviceCheck.framework our sources use, as far as types go. See docs/apple.md.
public import Foundation

open class DCAppAttestService: NSObject {
  open class var shared: DCAppAttestService { DCAppAttestService() }
  open var isSupported: Bool { false }
  open func generateKey() async throws -> String { "" }
  open func attestKey(_ keyId: String, clientDataHash: Data) async throws -> Data { Data() }
  open func generateAssertion(_ keyId: String, clientDataHash: Data) async throws -> Data { Data() }
}

public struct DCError: Error {
  public enum Code: Int, Sendable {
    case unknownSystemFailure = 0
    case featureUnsupported, invalidInput, invalidKey, serverUnavailable
  }

  public var code: Code

  public init(_ code: Code) { self.code = code }
}
