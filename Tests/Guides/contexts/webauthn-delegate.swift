import FRAuth
import Foundation
import UIKit

final class Screen {
  var viewController: UIViewController?
  // block
}
