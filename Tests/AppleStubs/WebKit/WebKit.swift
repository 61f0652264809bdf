// What of WebKit our sources use, as far as types go. See docs/apple.md.
@_exported public import Foundation

@MainActor open class WKWebView: NSObject {
  public init(frame: CGRect) {}
  open func evaluateJavaScript(_ javaScriptString: String) async throws -> Any? { nil }
}
