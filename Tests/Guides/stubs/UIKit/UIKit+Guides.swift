// What the published guides use of UIKit beyond Tests/AppleStubs: declarations without behaviour, after Apple's documentation.
import Foundation

public enum UIModalPresentationStyle: Sendable { case formSheet }

extension UIViewController {
  public var modalPresentationStyle: UIModalPresentationStyle {
    get { .formSheet }
    set {}
  }
}

extension UIApplication {
  public var windows: [UIWindow] { [] }
}

extension UIWindow {
  public var isKeyWindow: Bool { false }
}
