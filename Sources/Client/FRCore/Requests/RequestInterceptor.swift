internal import Concurrency
public import Foundation

#if canImport(FoundationNetworking)
  package import FoundationNetworking
#endif

/// Sees every request of the SDK before it is sent, and may replace it.
public protocol RequestInterceptor {
  /// The request to send in place of `request`. Called on no particular thread.
  func intercept(request: Request, action: Action) -> Request
}

/// The interceptors of this process.
// Its one stored property is a lock around values.
public final class FRRequestInterceptorRegistry: NSObject, @unchecked Sendable {
  public static let shared = FRRequestInterceptorRegistry()

  // Holds the app's objects, which are called on threads that the app knows of.
  private struct Interceptors: @unchecked Sendable { var all: [any RequestInterceptor] = [] }

  private let interceptors = Locked(Interceptors())

  /// Registers interceptors, which are called in this order.
  ///
  /// - Parameters:
  ///   - interceptors: `nil` registers none.
  ///   - shouldOverride: Whether these interceptors replace the ones registered before.
  public func registerInterceptors(interceptors: [any RequestInterceptor]?, shouldOverride: Bool = true) {
    let added = Interceptors(all: interceptors ?? [])
    self.interceptors.withLock { $0.all = shouldOverride ? added.all : $0.all + added.all }
  }

  /// Returns the request to send in place of `request`, after all interceptors have seen it.
  package func intercepted(
    _ request: URLRequest, _ type: ActionType, payload: [String: Any]? = nil
  ) -> URLRequest {
    let all = interceptors.withLock { $0 }.all
    guard !all.isEmpty, let seen = Request(request) else { return request }
    let action = Action(type: type, payload: payload)
    return all.reduce(seen) { $1.intercept(request: $0, action: action) }.applied(to: request)
  }
}
