#if canImport(WebKit) && canImport(UIKit)
  internal import WebKit
#endif

/// The user agent of the iOS web view. Other platforms report nothing: Linux has no web view, and a program without a window would
/// wait for one forever.
// It has no stored property that changes.
public class BrowserCollector: DeviceCollector, @unchecked Sendable {
  public typealias DataType = BrowserInfo

  public let key = "browser"

  public init() {}

  public func collect() async -> BrowserInfo? {
    #if canImport(WebKit) && canImport(UIKit)
      guard let agent = await Self.userAgent().flatMap({ String.short($0, limit: 512) }) else { return nil }
      return BrowserInfo(userAgent: agent)
    #else
      return nil
    #endif
  }

  #if canImport(WebKit) && canImport(UIKit)
    @MainActor private static func userAgent() async -> String? {
      let view = WKWebView(frame: .zero)
      return try? await view.evaluateJavaScript(DeviceProfileConstants.navigator_userAgent) as? String
    }
  #endif
}

/// A device's browser.
public struct BrowserInfo: Codable, Sendable {
  /// The `User-Agent` of its requests.
  public let userAgent: String
}
