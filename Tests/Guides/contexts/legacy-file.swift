import FRDeviceBinding
import Foundation
// block
