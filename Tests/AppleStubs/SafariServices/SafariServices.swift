// What of SafariServices our sources use, as far as types go. See docs/apple.md.
@_exported public import Foundation
public import UIKit

@MainActor public protocol SFSafariViewControllerDelegate: NSObjectProtocol {
  func safariViewControllerDidFinish(_ controller: SFSafariViewController)
  func safariViewController(_ controller: SFSafariViewController, initialLoadDidRedirectTo URL: URL)
}

@MainActor open class SFSafariViewController: UIViewController {
  public init(url: URL) {}
  open weak var delegate: (any SFSafariViewControllerDelegate)?
}
