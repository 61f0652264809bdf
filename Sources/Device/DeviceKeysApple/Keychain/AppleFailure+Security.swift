#if canImport(Security)
  internal import Foundation
  internal import LocalAuthentication
  internal import Security

  extension AppleFailure {
    /// From the error of a Security.framework function, which it releases.
    init(_ failure: Unmanaged<CFError>?) {
      guard let error = failure?.takeRetainedValue() else {
        self = .other(0)
        return
      }
      if let refused = error as any Error as? LAError {
        self.init(localAuthentication: refused.code.rawValue)
      } else {
        self.init(status: Int32(truncatingIfNeeded: CFErrorGetCode(error)))
      }
    }

    /// From an error of LocalAuthentication.
    init(_ error: any Error) {
      self.init(localAuthentication: (error as? LAError)?.code.rawValue ?? 0)
    }
  }
#endif
