// What of UIKit our sources use, as far as types go. See docs/apple.md.
@_exported public import Foundation

@MainActor open class UIResponder: NSObject {
  nonisolated public override init() {}
}

@MainActor open class UIView: UIResponder {
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: 0, height: 0) }
}

@MainActor open class UIWindow: UIView {
  open var rootViewController: UIViewController?
}

@MainActor open class UIViewController: UIResponder {
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var view: UIView! { nil }
  open var presentedViewController: UIViewController? { nil }
  open var presentingViewController: UIViewController? { nil }
  open var isBeingDismissed: Bool { false }
  open var popoverPresentationController: UIPopoverPresentationController? { nil }
  open func present(
    _ viewController: UIViewController, animated: Bool, completion: (() -> Void)? = nil
  ) {}
  open func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
}

public struct UIPopoverArrowDirection: OptionSet, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
}

@MainActor open class UIPopoverPresentationController: NSObject {
  open var sourceView: UIView?
  open var sourceRect = CGRect(x: 0, y: 0, width: 0, height: 0)
  open var permittedArrowDirections: UIPopoverArrowDirection = []
}

@MainActor open class UIScene: UIResponder {
  public enum ActivationState: Int, Sendable {
    case unattached = -1, foregroundActive, foregroundInactive, background
  }
  open var activationState: ActivationState { .unattached }
}

@MainActor open class UIWindowScene: UIScene {
  open var keyWindow: UIWindow? { nil }
  open var windows: [UIWindow] { [] }
}

@MainActor open class UIApplication: UIResponder {
  open class var shared: UIApplication { UIApplication() }
  open var connectedScenes: Set<UIScene> { [] }
  public struct OpenURLOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
  public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
  }
  open func open(
    _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:],
    completionHandler completion: (@MainActor @Sendable (Bool) -> Void)? = nil
  ) {}
}

public enum UIKeyboardType: Int, Sendable { case `default`, numberPad = 4 }

public struct UITextContentType: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
  public static let password = Self(rawValue: "password")
  public static let newPassword = Self(rawValue: "newPassword")
}

@MainActor open class UIControl: UIView {
  public struct Event: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let editingChanged = Self(rawValue: 1 << 17)
  }
  open func addAction(_ action: UIAction, for controlEvents: Event) {}
}

@MainActor open class UIAction: NSObject {
  public init(title: String = "", handler: @escaping (UIAction) -> Void) {}
}

@MainActor open class UITextField: UIControl {
  open var text: String?
  open var placeholder: String?
  open var isSecureTextEntry = false
  open var keyboardType = UIKeyboardType.default
  open var textContentType: UITextContentType?
}

@MainActor open class UIAlertAction: NSObject {
  public enum Style: Int, Sendable { case `default`, cancel, destructive }
  public convenience init(
    title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil
  ) { self.init() }
  nonisolated public override init() {}
  open var isEnabled = true
}

@MainActor open class UIAlertController: UIViewController {
  public enum Style: Int, Sendable { case actionSheet, alert }
  public convenience init(title: String?, message: String?, preferredStyle: Style) { self.init() }
  open func addAction(_ action: UIAlertAction) {}
  open func addTextField(configurationHandler: ((UITextField) -> Void)? = nil) {}
  open var textFields: [UITextField]? { nil }
  open var preferredAction: UIAlertAction?
  open var message: String?
}

@MainActor open class UIDevice: NSObject {
  open class var current: UIDevice { UIDevice() }
  nonisolated public override init() {}
  open var name: String { "" }
  open var model: String { "" }
  open var systemName: String { "" }
  open var systemVersion: String { "" }
}

@MainActor open class UIScreen: NSObject {
  open class var main: UIScreen { UIScreen() }
  nonisolated public override init() {}
  open var bounds: CGRect { CGRect(x: 0, y: 0, width: 0, height: 0) }
}
