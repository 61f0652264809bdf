import FRAuth
import Foundation
// block
